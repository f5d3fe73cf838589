#!/bin/sh
# run.sh [WORD]: what transformers recorded of its own models: all they compute, by --model alone,
# and gradients, by every parameter's name; and random models of every family, by a reference in
# numpy. MODELS says how many of these, 60 where nothing does; 1000 take a few minutes; of the keys
# that are none of a family's, each STRIDE'th is tried. WORD picks families, of the random alone.
#
# The models lie in $SELFATTN_SHARED/models/hf, or ../shared/models/hf; without them all is skipped.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
folder=${SELFATTN_SHARED:-$root/../shared}/models/hf
[ -d "$folder" ] || skip_all "$folder is not here"
find_python 'import json'
make_scratch
# with_claims SCRIPT ARGUMENT...: tests has a folder numpy, so only what runs looks there.
with_claims() {
    (cd "$tests" && PYTHONPATH=$root/tests $python -B "$@")
}
[ -n "$word" ] || tally with_claims folders.py "$folder"
find_python 'import numpy'
tally with_claims random_models.py "$folder" "$scratch" "${MODELS:-60}" "$word"
finish
