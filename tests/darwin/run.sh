#!/bin/sh
# run.sh: as it is compiled for macOS, src takes no header, function or constant that macos.txt does
# not have. No such system is here: src is compiled for this one, which then says that it is not
# Linux but macOS, with what macOS has and this one has not in include/.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
tests/need.sh -n libcjson-dev zlib1g-dev >"$said" 2>&1 || skip_all "$(head -n 1 "$said")"
as_macos='-std=c11 -D_POSIX_C_SOURCE=200809L -U__linux__ -U__linux -U__gnu_linux__ -D__APPLE__
    -D_DARWIN_C_SOURCE -isystem tests/darwin/include -Isrc -Wall -Wextra'

# compile FILE: its object, and what of its own text the preprocessor leaves.
compile() {
    to=$scratch/$(echo "$1" | tr / _)
    # shellcheck disable=SC2086 # words are meant
    ${CC:-cc} $as_macos -Werror -c -O0 "$1" -o "$to.o" &&
        ${CC:-cc} $as_macos -E -dI -fdirectives-only "$1" | awk '
            /^# [0-9]+ "/ { own = $3 ~ /^"(src|main)/; next }
            own' >"$to.i"
}

# unknown WORD...: from stdin, those that macos.txt does not have.
unknown() {
    grep -v '^#' "$tests/macos.txt" | tr ' ' '\n' | sort -u >"$scratch/known"
    sort -u | comm -23 - "$scratch/known" >"$scratch/unknown"
    cat "$scratch/unknown"
    [ ! -s "$scratch/unknown" ]
}

functions() {
    nm "$scratch"/*.o | awk '
        $1 == "U" { taken[$2] }
        $2 ~ /[A-Z]/ { made[$3] }
        END { for (name in taken) if (!(name in made)) print name }
    ' | grep -v -E '^(kernels_|_GLOBAL_|__stack_chk|[A-Z_]*$)' | unknown
}

headers() {
    sed -n 's/^ *# *include <\(.*\)>.*/\1/p' "$scratch"/*.i | unknown
}

families='(O|MAP|MADV|F|AT|LOCK|S|_SC|UTIME|RLIMIT|CLOCK|SA|RENAME)'
constants() {
    sed 's|/\*.*\*/||' "$scratch"/*.i | grep -h -v '^ \*' |
        grep -o -w -E "$families"'_[A-Z][A-Z0-9_]*|SIG[A-Z0-9]+' | unknown
}

find main.c src -name '*.c' ! -path 'src/kernels/wide/*' >"$scratch/files"
# Each so many'th by a process of its own.
jobs=$(getconf _NPROCESSORS_ONLN)
for job in $(seq "$jobs"); do
    awk "NR % $jobs == $job % $jobs" "$scratch/files" | while read -r file; do
        compile "$file"
    done >"$scratch/$job.said" 2>&1 &
done
wait
cat "$scratch"/*.said >"$said"
[ ! -s "$said" ]
count 'it is compiled without a warning'
functions >"$said"
count 'functions that macOS has not'
headers >"$said"
count 'headers that macOS has not'
constants >"$said"
count 'constants that macOS has not'
finish
