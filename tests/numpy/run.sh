#!/bin/sh
# run.sh: what NumPy writes is read, and what is written NumPy reads and would have written itself.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
find_python 'import numpy'
PYTHONPATH=$root/tests exec $python -B "$tests/numpy_files.py"
