#!/bin/sh
# run.sh [WORD]: every document's trace in LaTeX compiles, as it is. WORD picks documents by name.
set -u
tests=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$tests/../.." && pwd)
PATH=$(cd "$root/${BUILD:-build/release}" && pwd):$PATH
export PATH
word=${1:-} passed=0 failed=0
if ! command -v pdflatex >/dev/null; then
    echo 'skipped: latex: pdflatex is not here (Debian: texlive-latex-recommended)'
    echo '0 passed, 0 failed, 1 skipped'
    exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
cd "$scratch" || exit 1

for document in "$root"/testdata/seeds/*.json "$root"/testdata/examples/*.json \
    "$root"/testdata/variants/*.json "$root"/testdata/positions/*.json \
    "$root"/tests/trace/documents/*.json "$root"/tests/formats/documents/*.json; do
    case $document in */bloem-tokens.json) continue ;; esac # has no numbers
    case $document in *"$word"*) ;; *) continue ;; esac
    if selfattn --quiet --trace-format latex --trace-output page.tex -o /dev/null "$document" &&
        pdflatex -interaction=nonstopmode -halt-on-error page.tex >said 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL latex: $(basename "$document" .json)"
        grep -a -A 3 '^!' said | sed 's/^/    /'
    fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
