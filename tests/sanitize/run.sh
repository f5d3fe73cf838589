#!/bin/sh
# run.sh: the programs' and the command line's tests again, where every wrong access and overflow
# ends the program; of the command line's cases, and of faults', every $SANITIZE_EVERY'th, of unit
# tests every $SANITIZE_UNIT_EVERY'th, and of compare's problems $SANITIZE_PROBLEMS (1,000). The
# suites that run the same documents once more for their text or against other programs come by no
# other way, and why's planted mistakes by none but that of check --why, which tries them all. A
# look for leaks would take most of the time of each small process: faults counts the blocks of
# every command, and valgrind those of the unit tests.
set -eu
cd "$(dirname "$0")/../.."
make -s -j"$(getconf _NPROCESSORS_ONLN)" VARIANT=asan programs >/dev/null
# A test asks for more memory than there is, and wants to be refused, not ended.
ASAN_OPTIONS=detect_stack_use_after_return=1:allocator_may_return_null=1:detect_leaks=0
export ASAN_OPTIONS
export CASES_EVERY="${SANITIZE_EVERY:-1}" FAULTS_EVERY="${SANITIZE_EVERY:-1}" \
    UNIT_EVERY="${SANITIZE_UNIT_EVERY:-1}"
BUILD=build/asan exec tests/run.sh faults cli "compare ${SANITIZE_PROBLEMS:-1000}" unit
