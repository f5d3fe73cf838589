#!/bin/sh
# record.sh: a line for each document of testdata that can be computed: the hash of what the program
# prints, the command, the file. run.sh compares them with answers.txt, which holds those of the
# release whose bits are promised; only a new document, or a new release with other bits (2.0), adds
# to it or changes it.
set -eu
cd "$(dirname "$0")/../.."
find testdata -name '*.json' | LC_ALL=C sort | while read -r file; do
    printed=$(selfattn run --format jsonl --quiet "$file" 2>/dev/null </dev/null) || continue
    echo "$(printf '%s\n' "$printed" | sha256sum | cut -c1-32) run --format jsonl $file"
done
