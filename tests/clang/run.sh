#!/bin/sh
# run.sh: clang builds everything without a warning, and what it built passes the tests: the same
# answers, bit for bit. That gcc builds without one shows when .ci/run checks.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"

tests/need.sh clang || skip_all 'clang is not here'
make -s -j"$(getconf _NPROCESSORS_ONLN)" VARIANT=clang CC=clang CFLAGS='-O2 -g -Werror' programs \
    >/dev/null || { echo 'FAIL clang: it warns'; exit 1; }
BUILD=build/clang exec tests/run.sh ${SUITES:-unit compare faults cli}
