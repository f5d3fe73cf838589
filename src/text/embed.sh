#!/bin/sh
# embed.sh texts|page|examples: writes C source of what the program carries with it.
#
#   texts                          this folder (cli/help/help.h)
#   page                           the style and the scripts of a page (render/html.h)
#   examples LIST DOCUMENT...      EXAMPLES (cli/example/examples.h)
#
# A file of passages has "# NAME: HELP" or "# NAME (WHAT OTHERS CALL IT, ...): HELP" for each, below
# it a formula, indented, where there is one, and a paragraph. What stands before the first is for
# who reads the file.
#
# The other files are pages with slots such as {options}, which pages.c and manual.c fill from
# the tables. A page of the manual has "# HEADING", paragraphs, and lists, whose lines begin with
# "- ".
set -eu
LC_ALL=C
export LC_ALL

# bytes NAME: the input as it is. C promises no string literal beyond 4,095.
bytes() {
    echo "const char $1[] = {"
    od -An -v -to1 | sed "s/ \([0-7]*\)/'\\\\\1',/g"
    echo '0};'
}

# passages TABLE WHAT FILE
passages() {
    awk -v table="$1" -v what="$2" '
    function quoted(s) { gsub(/["\\]/, "\\\\&", s); return "\"" s "\"" }
    function end_row() {
        if (name != "")
            rows = rows "    {{" quoted(name) ", " quoted(help) "}, " \
                (formula == "" ? "0" : quoted(formula)) ", " quoted(words) "},\n"
        formula = words = help = ""
    }
    /^# / {
        end_row()
        name = substr($0, 3)
        if (match(name, /: /)) {
            help = substr(name, RSTART + 2)
            name = substr(name, 1, RSTART - 1)
        }
        if (match(name, / \(.*\)$/)) {
            count = split(substr(name, RSTART + 2, RLENGTH - 3), also, ", ")
            name = substr(name, 1, RSTART - 1)
            for (i = 1; i <= count; i++)
                synonyms = synonyms "    {" quoted(also[i]) ", " quoted(name) "},\n"
        }
        next
    }
    name == "" || $0 == "" { next }
    /^    / { formula = substr($0, 5); next }
    { words = words (words == "" ? "" : " ") $0 }
    END {
        end_row()
        printf "static const passage %s_ROWS[] = {\n%s};\n", table, rows
        printf "static const synonym %s_SYNONYMS[] = {\n%s    {0, 0},\n};\n", table, synonyms
        printf "const named_table %s = NAMED_TABLE_ALSO(\"%s\", %s_ROWS, %s_SYNONYMS);\n",
            table, what, table, table
    }' "$3"
}

# peers: PEERS, whose cells are in the order of differences.txt. Below "## DIFFERENCE" stands what a
# program says of it, after "→ " what gives the same here, and in brackets the source.
peers() {
    awk '
    function quoted(s) { gsub(/["\\]/, "\\\\&", s); return "\"" s "\"" }
    function fail(what) { print "embed.sh: peers.txt: " what >"/dev/stderr"; failed = 1; exit 1 }
    function end_peer() {
        if (name == "")
            return
        rows = rows "    {{" quoted(name) ", " quoted(help) "}, (const peer_cell[]){\n"
        for (i = 1; i <= count; i++) {
            if (says[i] == "")
                fail(name " says nothing of " order[i])
            rows = rows "        {" quoted(says[i]) ", " \
                (here[i] == "" ? "0" : quoted(here[i])) "},\n"
            says[i] = here[i] = ""
        }
        rows = rows "    }},\n"
    }
    /^# / && FILENAME == "differences.txt" {
        split(substr($0, 3), part, ": ")
        order[++count] = part[1]
        number[part[1]] = count
        next
    }
    /^# / {
        end_peer()
        at = index($0, ": ")
        name = substr($0, 3, at - 3)
        help = substr($0, at + 2)
        next
    }
    /^## / {
        if (!(substr($0, 4) in number))
            fail(substr($0, 4) " is in no row of differences.txt")
        cell = number[substr($0, 4)]
        is_here = 0
        next
    }
    name == "" || $0 == "" || /^\[.*\]$/ { next }
    sub(/^→ /, "") { is_here = 1 }
    is_here { here[cell] = here[cell] == "" ? $0 : here[cell] " " $0; next }
    { says[cell] = says[cell] == "" ? $0 : says[cell] " " $0 }
    END {
        if (failed)
            exit 1
        end_peer()
        printf "static const peer PEERS_ROWS[] = {\n%s};\n", rows
        print "const named_table PEERS = NAMED_TABLE(\"convention\", PEERS_ROWS);"
    }' differences.txt peers.txt
}

texts() {
    cd "$(dirname "$0")"
    echo '#include "cli/help/help.h"'
    passages TERMS term terms.txt
    passages COMMAND_TEXTS command commands.txt
    passages OPTION_TEXTS option options.txt
    passages FORMAT_TEXTS format formats.txt
    passages DIFFERENCES difference differences.txt
    peers
    awk '{ printf "%s%s", gap, $0; gap = " " }' conventions.txt | bytes CONVENTIONS_TEXT
    bytes BASH_PAGE <completion.bash
    bytes ZSH_PAGE <completion.zsh
    bytes FISH_PAGE <completion.fish
    bytes MAN_PAGE <man.txt
    bytes MAN_DOCUMENT_PAGE <man-document.txt
    bytes MAN_CONTRACT_PAGE <man-contract.txt
    bytes SCHEMA_PAGE <schema.json
}

page() {
    cd "$(dirname "$0")/../render/page"
    echo '#include "render/html.h"'
    cat palette.css page.css | bytes PAGE_STYLE
    # Whatever is here, in the order of names; only start.js does something when it is read.
    {
        for script in *.js; do
            [ "$script" = start.js ] || cat "$script"
        done
        cat start.js
    } | bytes PAGE_SCRIPT
    bytes BINDER_STYLE <../binder/binder.css
    bytes BINDER_SCRIPT <../binder/binder.js
}

# key KEY FILE: the string of a key that has a line of its own, as in all our documents; it becomes
# a string of C.
key() {
    value=$(sed -n 's/^ *"'"$1"'": "\(.*\)",*$/\1/p' "$2" | head -n 1)
    case $value in
    '') echo "embed.sh: $2: no \"$1\" on a line of its own" >&2; return 1 ;;
    *\\[!\"\\]*)
        echo "embed.sh: $2: its \"$1\" has an escape that C has not" >&2
        return 1 ;;
    esac
    echo "$value"
}

# "NAME[=OLD] FILE COMMAND" a line for all.
named() {
    list=$1
    shift
    grep -v '^#' "$list" | while read -r name file command; do
        echo "$name $(dirname "$list")/$file ${command:-run}"
    done
    for document; do
        name=$(key name "$document")
        echo "$name $document run"
    done
}

# LIST names documents, "NAME[=OLD] FILE [COMMAND]" a line, OLD what else finds it, FILE seen from
# LIST's folder, COMMAND what computes it (default: run); they come first. Then each DOCUMENT under
# its own name.
examples() {
    all=$(named "$@")
    echo '#include "cli/example/examples.h"'
    count=0
    echo "$all" | while read -r name file command; do
        count=$((count + 1))
        printf 'static '
        bytes "TEXT_$count" <"$file"
    done
    echo 'static const example ROWS[] = {'
    echo "$all" | while read -r name file command; do
        count=$((count + 1))
        title=$(key title "$file")
        notes=$(key notes "$file")
        printf '    {{"%s", "%s"}, TEXT_%d, "%s", command_%s},\n' \
            "${name%=*}" "$title" "$count" "$notes" "$command"
    done
    echo '};'
    echo 'static const synonym SYNONYMS[] = {'
    echo "$all" | sed -n 's/^\([^ =]*\)=\([^ ]*\) .*/    {"\2", "\1"},/p'
    echo '    {0, 0},'
    echo '};'
    echo 'const named_table EXAMPLES = NAMED_TABLE_ALSO("example", ROWS, SYNONYMS);'
}

echo '/* Made by src/text/embed.sh. */'
"$@"
