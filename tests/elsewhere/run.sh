#!/bin/sh
# run.sh [WORD]: what `make check` asks of programs holds on machines of other kinds, with Debian's
# libraries of their kind, each program in an emulator: one whose bytes stand in the other order,
# others of 64 and of 32 bits. Takes hours; tests/architectures has a part of it. All that is said
# of one is in build/elsewhere-ARCHITECTURE/report.txt.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch

# elsewhere ARCHITECTURE KIND EMULATOR LIBRARY [LEFT_OUT]: as Debian, compilers, QEMU and Debian's
# cross packages call it; LEFT_OUT has the tests that suppose another kind.
elsewhere() {
    architecture=$1 kind=$2 emulator=qemu-$3-static
    picked "$architecture" || return
    debian=$root/build/debian-$architecture built=build/elsewhere-$architecture
    if ! tests/need.sh qemu-user-static "gcc-$kind" "$4" ||
        ! { [ -d "$debian" ] || packaging/foreign.sh "$architecture" "$debian" \
            libcjson1 libcjson-dev zlib1g zlib1g-dev; }; then
        skip "$architecture: no compiler, emulator or libraries here"
        return
    fi
    libraries=$(echo "$debian"/usr/lib/*-linux-gnu*) headers=$debian/usr/include
    # LDFLAGS is no argument of make, which adds to it.
    LDFLAGS="-L$libraries -Wl,-rpath-link,$libraries" \
        make -s -j"$(getconf _NPROCESSORS_ONLN)" VARIANT="elsewhere-$architecture" programs \
        CC="$kind-gcc -isystem $headers -isystem $headers/${libraries##*/}" >"$said" 2>&1 || {
        fail "$architecture: does not build"
        tail -n 5 "$said"
        return
    }
    # Programs of the same names that run the real ones there, without an emulator where this
    # processor is of that kind too; `cli` is this machine's.
    path=LD_LIBRARY_PATH=$libraries:/usr/$kind/lib
    loader=$(echo "/usr/$kind"/lib/ld*.so.?)
    there="$emulator -L /usr/$kind -E $path"
    ! env "$path" "$loader" "$built/selfattn" --version >"$said" 2>&1 || there="env $path $loader"
    mkdir -p "$built/there"
    for program in selfattn unit compare why trace_formats; do
        printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$there" "$root/$built/$program" \
            >"$built/there/$program"
        chmod +x "$built/there/$program"
    done
    cp build/release/cli "$built/there/"
    case $there in env*) ;; *) set -- "$@" "$tests/emulated.txt" ;; esac
    shift 4
    WITHOUT=$(cat /dev/null "$@" | grep -v '^#') BUILD=$built/there tests/run.sh \
        unit 'compare 1000' 'why 1' cli promised formats public safetensors >"$built/report.txt"
    wrong=$?
    grep -E '^FAIL|passed' "$built/report.txt" >"$said"
    [ $wrong = 0 ]
    count "$architecture: a test fails"
}

elsewhere s390x s390x-linux-gnu s390x libc6-dev-s390x-cross "$tests/turned.txt"
[ "$(uname -m)" = aarch64 ] ||
    elsewhere arm64 aarch64-linux-gnu aarch64 libc6-dev-arm64-cross
elsewhere ppc64el powerpc64le-linux-gnu ppc64le libc6-dev-ppc64el-cross
elsewhere armhf arm-linux-gnueabihf arm libc6-dev-armhf-cross "$tests/narrow.txt"
elsewhere i386 i686-linux-gnu i386 libc6-dev-i386-cross "$tests/narrow.txt"
finish
