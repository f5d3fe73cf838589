#!/bin/sh
# run.sh: clang builds everything without a warning, and what it built passes the tests: the same
# answers, bit for bit. That gcc builds without one shows when .ci/run checks.
set -u
cd "$(dirname "$0")/../.." || exit 1

if ! tests/need.sh clang; then
    echo 'skipped: clang is not here'
    echo '0 passed, 0 failed, 1 skipped'
    exit
fi
make -s -j"$(getconf _NPROCESSORS_ONLN)" VARIANT=clang CC=clang CFLAGS='-O2 -g -Werror' programs \
    >/dev/null || { echo 'FAIL clang: it warns'; exit 1; }
BUILD=build/clang exec tests/run.sh ${SUITES:-unit compare faults cli}
