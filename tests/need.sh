#!/bin/sh
# need.sh [-n] PACKAGE...: makes sure that Debian's packages, or what they stand for, are here.
#
# What is there is found by trying it, so any system that has it passes. What is missing is
# installed by apt-get where that needs no asking; else this says what to run, and fails. -n, or
# NO_INSTALL=1 in the environment, never installs.
set -eu

# works PACKAGE: what the package is wanted for can be done.
works() {
    case $1 in
    libcjson-dev)
        printf '#include <cjson/cJSON.h>\nint main(void) { return cJSON_Version() == NULL; }\n' |
            ${CC:-cc} -x c -o /dev/null - -lcjson 2>/dev/null ;;
    zlib1g-dev)
        printf '#include <zlib.h>\nint main(void) { return zlibVersion() == NULL; }\n' |
            ${CC:-cc} -x c -o /dev/null - -lz 2>/dev/null ;;
    libfast-float-dev)
        printf '#include <fast_float/fast_float.h>\nint main() { return 0; }\n' |
            ${CXX:-c++} -x c++ -o /dev/null - 2>/dev/null ;;
    libclang-rt-14-dev)
        printf 'int LLVMFuzzerTestOneInput(void) { return 0; }\n' |
            clang -x c -fsanitize=fuzzer,address -o /dev/null - 2>/dev/null ;;
    gcc-*-linux-gnu*) command -v "${1#gcc-}-gcc" >/dev/null ;;
    libc6-dev-*-cross)
        case $1 in
        *-arm64-*) machine=aarch64-linux-gnu ;;
        *-armhf-*) machine=arm-linux-gnueabihf ;;
        *-i386-*) machine=i686-linux-gnu ;;
        *-ppc64el-*) machine=powerpc64le-linux-gnu ;;
        *-riscv64-*) machine=riscv64-linux-gnu ;;
        *) machine=s390x-linux-gnu ;;
        esac
        printf '#include <math.h>\nint main(void) { return 0; }\n' |
            "$machine-gcc" -static -x c -o /dev/null - 2>/dev/null ;;
    gcc-mingw-w64-x86-64-win32) command -v x86_64-w64-mingw32-gcc >/dev/null ;;
    wine64) command -v wine >/dev/null ;;
    qemu-user-static) command -v qemu-aarch64-static >/dev/null ;;
    nodejs) node -e 'require("node:wasi")' 2>/dev/null ;;
    lld) command -v wasm-ld >/dev/null ;;
    wasi-libc | libclang-rt-dev-wasm32)
        printf '#include <math.h>\nint main(int n, char **a) { return fma(n, n, **a) < 1.5L; }\n' |
            clang --target=wasm32-wasi -x c -o /dev/null - 2>/dev/null ;;
    busybox-static) command -v busybox >/dev/null ;;
    musl-tools) command -v musl-gcc >/dev/null ;;
    debhelper) command -v dh >/dev/null ;;
    node-typescript) command -v tsc >/dev/null ;;
    python3-*) /usr/bin/python3 -c "import ${1#python3-}" 2>/dev/null ;;
    universal-ctags) ctags --version 2>/dev/null | grep -q Universal ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

# name MANAGER PACKAGE: what it is called there.
name() {
    case $1:$2 in
    dnf:libcjson-dev) echo cjson-devel ;;
    apk:libcjson-dev) echo cjson-dev ;;
    pacman:libcjson-dev | brew:libcjson-dev) echo cjson ;;
    dnf:zlib1g-dev) echo zlib-devel ;;
    apk:zlib1g-dev) echo zlib-dev ;;
    pacman:zlib1g-dev | brew:zlib1g-dev) echo zlib ;;
    dnf:libfast-float-dev) echo fast_float-devel ;;
    pacman:libfast-float-dev | apk:libfast-float-dev | brew:libfast-float-dev) echo fast_float ;;
    dnf:libclang-rt-14-dev) echo compiler-rt ;;
    apk:libclang-rt-14-dev | pacman:libclang-rt-14-dev) echo compiler-rt ;;
    brew:libclang-rt-14-dev) echo llvm ;;
    *) echo "$2" ;;
    esac
}

# line MANAGER: the command that installs what is missing.
line() {
    case $1 in
    apt-get) verb='apt-get install' ;;
    dnf) verb='dnf install' ;;
    pacman) verb='pacman -S' ;;
    apk) verb='apk add' ;;
    brew) verb='brew install' ;;
    esac
    for package in $missing; do
        verb="$verb $(name "$1" "$package")"
    done
    echo "  $verb"
}

# The line for the package manager that is here, or else for each.
say_what_to_run() {
    echo "selfattn: $missing missing; install with" >&2
    for manager in apt-get dnf pacman apk brew; do
        if command -v $manager >/dev/null; then
            line $manager >&2
            return
        fi
    done
    for manager in apt-get dnf pacman apk brew; do
        line $manager >&2
    done
}

# apt ARGUMENTS: apt-get, waiting while another one works.
apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" \
        </dev/null >"$log" 2>&1
}

# DPkg::Lock::Timeout does not hold for the lists' lock, so an update tries again.
update() {
    for _ in 1 2 3 4 5 6; do
        apt update && return
        grep -q 'Could not get lock' "$log" || return
        sleep 10
    done
}

install_missing() {
    ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1 || update || return
    install="install --no-install-recommends $missing"
    # shellcheck disable=SC2086 # words are meant
    apt $install || { update && apt $install; }
}

[ "$1" != -n ] || { NO_INSTALL=1 && shift; }
missing=
for package; do
    works "$package" || missing="$missing${missing:+ }$package"
done
[ -n "$missing" ] || exit 0

as_root=
[ "$(id -u)" = 0 ] || as_root='sudo -n'
if [ -n "${NO_INSTALL:-}" ] || ! command -v apt-get >/dev/null || ! $as_root true 2>/dev/null; then
    say_what_to_run
    exit 1
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "selfattn: installing $missing with apt-get" >&2
if ! install_missing; then
    tail -n 3 "$log" >&2
    say_what_to_run
    exit 1
fi
for package in $missing; do
    if ! works "$package"; then
        echo "selfattn: $package is installed, and still does not work" >&2
        exit 1
    fi
done
