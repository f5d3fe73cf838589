#!/bin/sh
# embed.sh: writes the C source of the texts in this folder (cli/help/texts.h).
#
# A file of passages has "# NAME: HELP" or "# NAME (WHAT OTHERS CALL IT, ...): HELP" for each, below
# it a formula, indented, where there is one, and a paragraph. What stands before the first is for
# who reads the file.
set -eu
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")"

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

echo '/* Made by src/text/embed.sh. */'
echo '#include "cli/help/texts.h"'
passages TERMS term terms.txt
passages COMMAND_TEXTS command commands.txt
passages OPTION_TEXTS option options.txt
