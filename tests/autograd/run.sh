#!/bin/sh
# run.sh: gradients of random documents against those that PyTorch's autograd finds, in float64.
#
# AUTOGRAD_SEED is the first document's, 1 where nothing else is said.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
"$root/tests/need.sh" python3-torch >/dev/null 2>&1
find_python 'import torch'
PYTHONPATH=$root/tests exec $python -B "$tests/autograd.py" "${AUTOGRAD_SEED:-1}"
