#!/bin/sh
# run.sh: `make install` puts seven files that work where they belong, `make dist` packs the same
# bytes twice, and what it packs builds. What is packed and the programs for any Linux, for
# 64-bit Arm and for WebAssembly are the same bytes when they are built from that elsewhere, and run
# where nothing else is. Of those of other machines $PACKAGING_EVERY takes every so many'th.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch

# check CLAIM COMMAND...
check() {
    claim=$1
    shift
    if "$@" >"$said" 2>&1; then
        pass
    else
        fail "$claim"
        tail -n 5 "$said"
    fi
}

# check_ships FOLDER: what is shipped, built here and there, which holds what is committed.
check_ships() {
    shipped='static deb'
    every=${PACKAGING_EVERY:-1}
    if ! has_turn "$every"; then
        :
    elif tests/need.sh gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static &&
        make static-arm64 >"$said" 2>&1; then
        shipped="$shipped wheel"
        cp -r build/foreign "$1/build/"
    else
        skip "a program for 64-bit Arm, and wheels: no compiler here, or Debian's zlib can't be had"
    fi
    if ! has_turn "$every"; then
        :
    elif tests/need.sh nodejs clang lld wasi-libc libclang-rt-dev-wasm32; then
        shipped="$shipped npm playground"
    else
        skip 'a program for WebAssembly: nothing here that builds it'
    fi
    if ! has_turn "$every"; then
        :
    elif tests/need.sh clang gcc-mingw-w64-x86-64-win32; then
        shipped="$shipped windows"
    else
        skip 'a program for Windows: nothing here that builds it'
    fi
    # One make at a time: tests/npx builds the program for WebAssembly, too.
    # shellcheck disable=SC2086 # words are meant
    check 'what is shipped is built' flock build/libraries make $shipped
    check 'it has no fault that Debian knows' lintian --fail-on warning build/*.deb
    check 'it is built elsewhere' env USER=other TZ=Asia/Tokyo sh -c \
        'umask 027; exec make -C "$1" $2' sh "$1" "$shipped"
    if ! git diff --quiet HEAD -- . ':!tests'; then
        skip 'files differ from what is committed, and so does what is shipped'
        return
    fi
    for elsewhere in "$1"/build/*.deb "$1"/build/*-linux-* "$1"/build/*.exe "$1"/build/*.wasm \
        "$1"/build/*.whl "$1"/build/*.tgz "$1"/build/*.html "$1"/build/*.spdx.json; do
        case $elsewhere in *.tar.gz.* | *'*'*) continue ;; esac
        file=build/${elsewhere##*/}
        check "$file is the same bytes, built elsewhere" cmp "$file" "$elsewhere"
    done
}

# enter ROOT COMMAND...: runs it with that as its whole world.
enter() {
    if [ "$(id -u)" = 0 ]; then
        chroot "$@"
    else
        unshare --map-root-user chroot "$@"
    fi
}

# check_root NAME ROOT [EMULATOR]: from nothing there to the first trace.
# shellcheck disable=SC2086 # words are meant
check_root() {
    emulator=${3:-}
    trace='run --trace --color never -'
    document=testdata/seeds/001-walkthrough.json
    if ! enter "$2" /bin/busybox true 2>/dev/null; then
        skip "$1: no other root can be entered here"
        return
    fi
    selfattn $trace <$document >"$scratch/trace"
    check "$1: the first trace" sh -c 'cmp "$0" -' "$scratch/trace" <<END
$(enter "$2" $emulator /usr/bin/selfattn $trace <$document)
END
    check "$1: an example of its own" enter "$2" /bin/busybox sh -c \
        "cd /tmp && $emulator /usr/bin/selfattn example statquest >s.json &&
            $emulator /usr/bin/selfattn run -o o.json s.json"
    enter "$2" $emulator /usr/bin/selfattn help --completion bash >"$scratch/completion"
    check "$1: the completions that it prints" bash "$tests/completes.bash" "$scratch/completion"
}

installed=$scratch/installed/opt/selfattn
check 'make install succeeds' make install DESTDIR="$scratch/installed" PREFIX=/opt/selfattn
check 'it installs seven files' test "$(find "$scratch/installed" -type f | wc -l)" -eq 7
check 'the program runs' "$installed/bin/selfattn" check testdata/seeds/001-walkthrough.json
check 'bash completes by what is installed' bash "$tests/completes.bash" \
    "$installed/share/bash-completion/completions/selfattn"
check 'zsh finds its completions' grep -q '^#compdef selfattn' \
    "$installed/share/zsh/site-functions/_selfattn"
check 'fish finds its completions' grep -q '^complete -c selfattn' \
    "$installed/share/fish/vendor_completions.d/selfattn.fish"
for page in selfattn.1 selfattn-document.5 selfattn-contract.7; do
    check "$page is the manual's page" cmp build/man/$page \
        "$installed/share/man/man${page##*.}/$page"
done

if git rev-parse -q --verify HEAD >/dev/null 2>&1; then
    check 'make dist succeeds' make dist
    archive=$(ls -t build/selfattn-*.tar.gz | head -n 1)
    cp "$archive" "$scratch/first.tar.gz"
    sleep 1 # a time stamp in the archive would differ now
    check 'make dist succeeds again' make dist
    check 'both times with the same bytes' cmp "$archive" "$scratch/first.tar.gz"
    mkdir "$scratch/packed"
    check 'the archive unpacks' tar -xzf "$archive" -C "$scratch/packed"
    # By somebody else, elsewhere, in another time zone.
    check 'what it holds builds' env USER=other TZ=Asia/Tokyo \
        sh -c 'umask 027; exec make -C "$1" -j2' sh "$scratch"/packed/selfattn-*
    check 'and runs' "$scratch"/packed/selfattn-*/selfattn --version
    if tests/need.sh debhelper fakeroot lintian; then
        check_ships "$scratch"/packed/selfattn-*
    else
        skip "Debian's packages: nothing here that builds them"
    fi
    cd "$scratch"/packed/selfattn-* || exit 1
    # built FLAG...: an object is built again.
    built() { make "$@" build/release/main.o | grep -q 'cc main.c'; }
    check 'what is there is not built again' sh -c '! make build/release/main.o | grep "cc main.c"'
    check 'other CFLAGS build it again' built CFLAGS=-O1
    check 'another KERNEL_O does' built CFLAGS=-O1 KERNEL_O=-O2
    check 'another compiler does' built CFLAGS=-O1 KERNEL_O=-O2 CC=gcc
    check 'the same ones do not' sh -c \
        '! make CFLAGS=-O1 KERNEL_O=-O2 CC=gcc build/release/main.o | grep "cc main.c"'
else
    skip 'no git, or no commit, to make dist of'
fi
cd "$root" || exit 1

# ---- where nothing else is ----

# root NAME: an empty one with busybox in $scratch/NAME.
root() {
    mkdir -p "$scratch/$1/bin" "$scratch/$1/usr/bin" "$scratch/$1/tmp"
    cp "$(command -v busybox)" "$scratch/$1/bin/"
}

if ! tests/need.sh busybox-static; then
    skip 'an empty root: no busybox here'
elif check 'the program for any Linux is built' make static; then
    root bare
    cp build/selfattn-*-linux-"$(uname -m)" "$scratch/bare/usr/bin/selfattn"
    check_root 'the program for any Linux' "$scratch/bare"
    arm64=$(ls build/selfattn-*-linux-aarch64 2>/dev/null)
    if [ -n "$arm64" ] && [ "$(uname -m)" != aarch64 ] && tests/need.sh qemu-user-static; then
        cp "$arm64" "$scratch/bare/usr/bin/selfattn"
        cp "$(command -v qemu-aarch64-static)" "$scratch/bare/bin/"
        check_root 'the program for 64-bit Arm' "$scratch/bare" /bin/qemu-aarch64-static
    fi
    if ls build/selfattn_*.deb >/dev/null 2>&1; then
        root deb
        for package in build/*.deb; do
            check "$package unpacks" dpkg-deb -x "$package" "$scratch/deb"
        done
        ldd "$scratch/deb/usr/bin/selfattn" | grep -o '/[^ ]*' | while read -r library; do
            install -D "$library" "$scratch/deb/$library"
        done
        check_root "Debian's package" "$scratch/deb"
        check 'its manual is there' gzip -t "$scratch/deb/usr/share/man/man1/selfattn.1.gz"
        check 'its completions are' bash "$tests/completes.bash" \
            "$scratch/deb/usr/share/bash-completion/completions/selfattn"
        check 'and its pages' test -s "$scratch/deb/usr/share/doc/selfattn-doc/examples/index.html"
    fi
fi

# ---- shut in ----

# Once its input is opened for reading it is; reading from a pipe waits for us.
mkfifo "$scratch/in"
for option in --quiet --no-sandbox; do
    selfattn run $option --format jsonl "$scratch/in" >"$said" &
    exec 3>"$scratch/in"
    grep Seccomp: "/proc/$!/status" >"$scratch/seccomp.$option" 2>/dev/null
    echo '{"x": [[1]]}' >&3
    exec 3>&-
    wait $!
done
if [ "$(uname)" = Linux ] && [ -s "$scratch/seccomp.--quiet" ]; then
    check 'the program is shut in' grep -q 2 "$scratch/seccomp.--quiet"
    check 'unless it is told not to be' grep -q 0 "$scratch/seccomp.--no-sandbox"
else
    skip 'this system does not say whether a process is shut in'
fi
finish
