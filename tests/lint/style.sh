#!/bin/sh
# style.sh: the sources are laid out as .clang-format says.
command -v clang-format >/dev/null || { echo 'skipped: style: no clang-format here'; exit 77; }
find main.c src tests -name '*.[ch]' -exec clang-format --dry-run -Werror {} + 2>&1 |
    grep 'error:' | cut -d: -f1 | sort | uniq -c |
    awk '{ print $2 ": " $1 " places; make format" } END { exit NR > 0 }'
