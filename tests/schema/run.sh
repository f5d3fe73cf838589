#!/bin/sh
# run.sh: `help schema` is a JSON Schema, as a program that isn't ours reads it; documents, results,
# traces and reports are what it says; and it refuses nothing that the program takes.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
"$root/tests/need.sh" python3-jsonschema >/dev/null 2>&1
find_python 'from jsonschema import Draft202012Validator'
PYTHONPATH=$root/tests exec $python -B "$tests/schema.py"
