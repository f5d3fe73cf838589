#!/bin/sh
# run.sh: safetensors as another program reads and writes them; and a large file, which is used
# where it lies.
# shellcheck disable=SC3045 # dash and bash have ulimit -d
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch

# fits CLAIM WORD...: the program needs less than 16 MB that is not a file's.
fits() {
    claim=$1
    shift
    (cd "$scratch" && ulimit -d 16384 && selfattn "$@" >out 2>said)
    count "$claim"
}

# 128 MB that take no disk: what is not written reads as zeros.
header=$(printf '%-176s' '{
"weights":{"dtype":"F64","shape":[4096,4096],"data_offsets":[0,134217728]},
"x":{"dtype":"F64","shape":[2,4],"data_offsets":[134217728,134217792]}}')
printf '\260\0\0\0\0\0\0\0%s' "$header" >"$scratch/large.safetensors"
truncate -s $((8 + 176 + 134217792)) "$scratch/large.safetensors"
if (ulimit -d 16384 && selfattn --version >/dev/null 2>&1); then
    fits 'a large matrix is not copied' diff large.safetensors large.safetensors
    fits 'one matrix is read, and no other' -x large.safetensors:x --dtype f64 --threads 1
else
    skip 'this build needs much memory of its own'
fi

if python3 -c '' 2>/dev/null; then
    PYTHONPATH=$root/tests python3 -B "$tests/safetensors_files.py" >"$said"
    grep -v '^[0-9]* passed, [0-9]* failed$' "$said"
    read -r more_passed more_failed <<END
$(tail -n 1 "$said" | tr -cd '0-9 ')
END
    passed=$((passed + more_passed)) failed=$((failed + more_failed))
else
    skip 'no Python here'
fi
finish
