#!/bin/sh
# run.sh: what transformers recorded of its own models: all they compute, by --model alone, and
# gradients, by every parameter's name.
#
# The models lie in $SELFATTN_SHARED/models/hf, or ../shared/models/hf; without them all is skipped.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
folder=${SELFATTN_SHARED:-$root/../shared}/models/hf
[ -d "$folder" ] || skip_all "$folder is not here"
find_python 'import json'
PYTHONPATH=$root/tests exec $python -B "$tests/folders.py" "$folder"
