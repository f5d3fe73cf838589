#!/bin/sh
# length.sh: no function is longer than 60 lines but those that long.txt names, with the reason.
here=$(dirname "$0")
ctags --version 2>/dev/null | grep -q Universal || {
    echo 'skipped: length: no universal-ctags here'
    exit 77
}
find src -name '*.c' -exec ctags -x --kinds-C=f --fields=+ne --_xformat='%N %{end} %n %F' {} + |
    awk 'FILENAME != "-" { if (!/^#/) named[$1] = 1; next }
         $2 - $3 + 1 > 60 && !($1 in named) {
             print $4 ":" $3 ": " $1 " has " $2 - $3 + 1 " lines"
             failed = 1
         }
         END { exit failed }' "$here/long.txt" -
