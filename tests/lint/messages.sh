#!/bin/sh
# messages.sh: some test provokes each message of the source.
here=$(dirname "$0")
list=$(find src -name '*.[ch]' && find tests -name '*.c' -o -path 'tests/cli/*' -type f)
LC_ALL=C exec awk -f "$here/code.awk" -f "$here/messages.awk" $list
