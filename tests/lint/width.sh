#!/bin/sh
# width.sh: no line is wider than 100 columns, a character being one, not a byte.
find main.c README.md src tests -name '*.[ch]' -o -name '*.md' -o -name '*.sh' -o -name '*.awk' |
    LC_ALL=C xargs awk '{
        line = $0
        gsub(/[\200-\277]/, "", line) # what follows the first byte of a character in UTF-8
        if (length(line) > 100) {
            print FILENAME ":" FNR ": " length(line) " columns"
            failed = 1
        }
    }
    END { exit failed }'
