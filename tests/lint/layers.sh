#!/bin/sh
# layers.sh: the folders of src include each other only as layers.txt says; nothing below cli
# prints, ends the program, or looks at the world outside.
here=$(dirname "$0")
find main.c src -name '*.[ch]' -exec \
    awk -f "$here/code.awk" -f "$here/layers.awk" "$here/layers.txt" {} +
