#!/bin/sh
# embed.sh: writes the C source of PAGE_STYLE and PAGE_SCRIPT (html_assets.h): page.css, and the
# scripts as one, in the order below. A text becomes a list of bytes: C promises no string
# literal beyond 4,095.
set -eu
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")"

# array NAME FILE...
array() {
    echo "static const unsigned char $1_BYTES[] = {"
    name=$1
    shift
    cat "$@" | od -An -v -tu1 | sed 's/  *\([0-9]*\)/\1,/g'
    echo '0};'
    echo "const char *const $name = (const char *)${name}_BYTES;"
}

echo '/* Made by src/render/page/embed.sh. */'
echo '#include "render/html_assets.h"'
array PAGE_STYLE page.css
array PAGE_SCRIPT numbers.js texts.js origins.js arithmetic.js cells.js tables.js panel.js \
    steps.js tokens.js exercise.js print.js start.js
