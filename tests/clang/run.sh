#!/bin/sh
# run.sh: clang builds everything without a warning, and what it built computes what the reference
# does; that its answers are gcc's, bit for bit, tests/answer shows, and no other suite has found
# more. That gcc builds without a warning shows when .ci/run checks.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"

tests/need.sh clang || skip_all 'clang is not here'
make -s -j"$(getconf _NPROCESSORS_ONLN)" VARIANT=clang CC=clang CFLAGS='-O2 -Werror' programs \
    >/dev/null || { echo 'FAIL clang: it warns'; exit 1; }
BUILD=build/clang exec tests/run.sh unit 'compare 1000'
