#!/bin/sh
# run.sh: the answers of testdata are the bytes that were promised (answers.txt), so that a golden
# file stays one. That they are true is for other suites to say.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
"$tests/record.sh" >"$scratch/now"
while read -r hash line; do
    picked "$line" || continue
    if grep -qxF "$hash $line" "$scratch/now"; then
        pass
    else
        fail "selfattn $line prints other bytes than were promised, or none"
    fi
done <"$tests/answers.txt"
cut -d' ' -f2- "$tests/answers.txt" >"$scratch/known"
new=$(cut -d' ' -f2- "$scratch/now" | grep -vxFf "$scratch/known") &&
    fail "these answers are new; once they are known to be true, they are lines of answers.txt:" &&
    grep -F "$new" "$scratch/now"
finish
