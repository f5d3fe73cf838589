#!/bin/sh
# run.sh: unit tests and the command line's under valgrind, which sees what no sanitizer does: a
# decision taken by memory that was never written.
set -eu
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
tests/need.sh valgrind || skip_all 'valgrind is not here'
# $BUILD of this run holds programs of the same names that run the real ones in valgrind.
real=$root/${BUILD:-build/release}
BUILD=build/valgrind
mkdir -p "$BUILD"
for program in unit selfattn; do
    # It knows none of the calls that shut a process in, and says so.
    cat >"$BUILD/$program" <<END
#!/bin/sh
case $program:\${1:-} in
selfattn:[a-z]*) command=\$1 && shift && set -- "\$command" --no-sandbox "\$@" ;;
selfattn:-*) set -- --no-sandbox "\$@" ;;
esac
exec valgrind -q --error-exitcode=99 --leak-check=full --track-fds=no \\
    --suppressions="$PWD/tests/valgrind/known.supp" \\
    --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect \\
    "$real/$program" "\$@"
END
    chmod +x "$BUILD/$program"
done
cp "$real/cli" "$BUILD/"
export BUILD
# Those that go one way thousands of times, which would take half an hour here, those that measure
# how much memory is taken, on ways that others go, and those that look at nothing but bits of
# kernels, whose buffers are full.
WITHOUT='cut_off first_failure in_order json_changed memory_past_all_addresses random rows_read
    kernels kernel_accuracy kernel_activate kernel_norm kernel_order multiply
    rows_text text mem memory reader_memory stack_memory'
# shellcheck disable=SC2086 # words are meant
WITHOUT=$(printf '%s\n' $WITHOUT)
export WITHOUT
# Each case takes a second here; tests/faults and tests/sanitize go through the paths of the others.
TABLES='stacks stream' exec tests/run.sh unit cli
