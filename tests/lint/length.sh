#!/bin/sh
# length.sh: a hint, not a failure: functions of more than 60 lines, each of which may be a table
# or a story that is better read in one piece.
ctags --version 2>/dev/null | grep -q Universal || {
    echo 'skipped: length: no universal-ctags here'
    exit 77
}
find src -name '*.c' -exec ctags -x --kinds-C=f --fields=+ne --_xformat='%N %{end} %n %F' {} + |
    awk '$2 - $3 + 1 > 60 { print $4 ":" $3 ": " $1 " has " $2 - $3 + 1 " lines: a hint" }'
