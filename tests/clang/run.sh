#!/bin/sh
# run.sh: both compilers build everything without a warning, and what clang built passes the tests:
# the same answers, bit for bit.
set -u
cd "$(dirname "$0")/../.." || exit 1

# builds COMPILER: with warnings as errors, in a variant of its own.
builds() {
    make -s -j"$(getconf _NPROCESSORS_ONLN)" VARIANT="$1" CC="$1" CFLAGS='-O2 -g -Werror' programs \
        >/dev/null
}

if ! tests/need.sh clang; then
    echo 'skipped: clang is not here'
    echo '0 passed, 0 failed, 1 skipped'
    exit
fi
builds gcc || { echo 'FAIL clang: gcc warns'; exit 1; }
builds clang || { echo 'FAIL clang: clang warns'; exit 1; }
BUILD=build/clang exec tests/run.sh ${SUITES:-unit compare faults cli}
