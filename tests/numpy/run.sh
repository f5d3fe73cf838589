#!/bin/sh
# run.sh: what NumPy writes is read, and what is written NumPy reads and would have written itself.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
python=
for one in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! $one -c 'import numpy' 2>/dev/null || python=$one
done
[ -n "$python" ] || skip_all 'no Python with NumPy here'
PYTHONPATH=$root/tests exec $python -B "$tests/numpy_files.py"
