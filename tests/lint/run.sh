#!/bin/sh
# run.sh [WORD]: what holds for all sources. Each NAME.sh is one test, and planted.sh shows that
# each can fail.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
for lint in "$tests"/*.sh; do
    lint=$(basename "$lint" .sh)
    [ "$lint" != run ] || continue
    picked "$lint" || continue
    "$tests/$lint.sh"
    case $? in
    0) pass ;;
    77) skipped=$((skipped + 1)) ;;
    *) fail "$lint" ;;
    esac
done
finish
