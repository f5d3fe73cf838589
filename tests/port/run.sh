#!/bin/sh
# run.sh [WORD]: what `selfattn port` says of ports that are wrong, and of ports that are right. 45
# have one mistake and 20 have two, made in a reference in numpy (planted.py), and the program sees
# nothing but the model's folder, a dump and the ids. The first layer and stage are to be right in
# 95 of 100, the cause in 80 of 100, and a right port has none (score.py). Of a model that is not
# computed, what was recorded of it gives the place, in each case. WORD picks cases by model or
# mistake; the bars are then those of what is picked.
#
# The models lie in $SELFATTN_SHARED/models/hf, or ../shared/models/hf; without them all is skipped.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
folder=${SELFATTN_SHARED:-$root/../shared}/models/hf
[ -d "$folder" ] || skip_all "$folder is not here"
find_python 'import numpy'
selfattn help | grep -q '^  port  ' || skip_all "selfattn has no command port"
make_scratch
PYTHONPATH=$root/tests $python -B "$tests/score.py" "$folder" "$scratch" "$word"
