#!/bin/sh
# run.sh [WORD]: what this program and others read in the same files is the same, to the bit: JSON
# by Node, tables by Python, NPY and NPZ by NumPy. $DIFFER_FILES files of a format are made from the
# seed $DIFFER_SEED (grow.py); those that fuzzing has grown are looked at too.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
"$root/tests/need.sh" python3-numpy nodejs >/dev/null 2>&1
find_python 'import numpy'

# judge FORMAT COMMAND...: what the command says of the format's files.
judge() {
    picked "$1" || return
    format=$1
    shift
    mkdir "$scratch/$format"
    $python -B "$tests/grow.py" "$format" "${DIFFER_FILES:-2000}" "${DIFFER_SEED:-1}" \
        "$scratch/$format" || exit 1
    for folder in "tests/fuzz/corpus/$format" "build/fuzz/grown/$format" "$scratch/$format"; do
        [ ! -d "$folder" ] || find "$folder" -type f | sort
    done | values "$format" >"$scratch/values" || fail "values $format ended early"
    PYTHONPATH=$root/tests "$@" <"$scratch/values" >"$said" 2>&1
    sed '$d' "$said"
    well=$(sed -n '$s/ passed, [0-9]* failed$//p' "$said")
    bad=$(sed -n '$s/^[0-9]* passed, \([0-9]*\) failed$/\1/p' "$said")
    [ "${well:-0}" != 0 ] || fail "$format: nothing was compared: $(tail -n 1 "$said")"
    passed=$((passed + ${well:-0})) failed=$((failed + ${bad:-0}))
}

for format in csv tsv tidy npy npz; do
    judge $format $python -B "$tests/judge.py" $format
done
if command -v node >/dev/null; then
    judge json node "$tests/judge.js"
else
    skip 'json: node is not here'
fi
finish
