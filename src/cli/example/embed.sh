#!/bin/sh
# embed.sh LIST DOCUMENT...: writes the C source of EXAMPLES (examples.h).
#
# LIST names documents, "NAME FILE [COMMAND]" a line, FILE seen from LIST's folder, COMMAND what
# computes it (default: run); they come first. Then each DOCUMENT under its own name. A text becomes
# a list of bytes: C promises no string literal beyond 4,095.
set -eu
LC_ALL=C
export LC_ALL
list=$1
shift

# key KEY FILE: the string of a key that has a line of its own, as in all our documents; it becomes
# a string of C.
key() {
    value=$(sed -n 's/^ *"'"$1"'": "\(.*\)",*$/\1/p' "$2" | head -n 1)
    case $value in
    '') echo "embed.sh: $2: no \"$1\" on a line of its own" >&2; return 1 ;;
    *\\[!\"\\]*) echo "embed.sh: $2: its \"$1\" has an escape that C has not" >&2; return 1 ;;
    esac
    echo "$value"
}

# "NAME FILE COMMAND" a line for all.
named() {
    grep -v '^#' "$list" | while read -r name file command; do
        echo "$name $(dirname "$list")/$file ${command:-run}"
    done
    for document; do
        name=$(key name "$document")
        echo "$name $document run"
    done
}

all=$(named "$@")
echo '/* Made by src/cli/example/embed.sh. */'
echo '#include "cli/example/examples.h"'
count=0
echo "$all" | while read -r name file command; do
    count=$((count + 1))
    echo "static const unsigned char TEXT_${count}[] = { /* $name */"
    od -An -v -tu1 "$file" | sed 's/  *\([0-9]*\)/\1,/g'
    echo '0};'
done
echo 'static const example ROWS[] = {'
echo "$all" | while read -r name file command; do
    count=$((count + 1))
    title=$(key title "$file")
    notes=$(key notes "$file")
    printf '    {{"%s", "%s"}, (const char *)TEXT_%d, "%s", command_%s},\n' \
        "$name" "$title" "$count" "$notes" "$command"
done
echo '};'
echo 'const named_table EXAMPLES = NAMED_TABLE("example", ROWS);'
