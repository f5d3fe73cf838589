#!/bin/sh
# run.sh [WORD]: what holds for all sources. Each NAME.sh is one test, and planted.sh shows that
# each can fail.
here=$(dirname "$0")
passed=0 failed=0 skipped=0
for lint in layers messages width style length planted; do
    case $lint in *"${1:-}"*) ;; *) continue ;; esac
    "$here/$lint.sh"
    case $? in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) && echo "FAIL lint: $lint" ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
