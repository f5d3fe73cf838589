#!/bin/sh
# run.sh [WORD]: every document's trace in LaTeX compiles, as it is, and no line of it is wider than
# the page; every fourth as slides, of which none is too full by more than their lower margin; and
# every sixteenth, by Pandoc, as a handout. Of all of them $LATEX_EVERY takes every so many'th.
# WORD picks documents by name.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
command -v pdflatex >/dev/null ||
    skip_all 'pdflatex is not here (Debian: texlive-latex-recommended)'
make_scratch
cd "$scratch" || exit 1

# as FORMAT FILL [COMMAND] DOCUMENT [OPTION]...: nothing is too full, by the first of FILL's words.
as() {
    format=$1 full=$2
    shift 2
    if selfattn "$@" --quiet --trace-format "$format" --trace-output page.tex -o /dev/null &&
        pdflatex -interaction=nonstopmode -halt-on-error page.tex >said 2>&1 &&
        ! grep -a -q -E "^Overfull $full" said; then
        pass
    else
        fail "$format: $*"
        grep -a -e '^Overfull' -A 3 -e '^!' said | sed 's/^/    /'
    fi
}

# handout [COMMAND] DOCUMENT [OPTION]...: its Markdown for Pandoc becomes a document for Word, and
# no formula gives a warning.
handout() {
    if ! command -v pandoc >/dev/null; then
        skip "pandoc: $*: it is not here (Debian: pandoc)"
    elif selfattn "$@" --quiet --trace-format pandoc --trace-output page.md -o /dev/null &&
        pandoc page.md --from markdown --fail-if-warnings -o handout.docx >said 2>&1; then
        pass
    else
        fail "pandoc: $*"
        tail -n 20 said | sed 's/^/    /'
    fi
}

# page [COMMAND] DOCUMENT [OPTION]...
pages=0
page() {
    has_turn "${LATEX_EVERY:-1}" || return
    as latex '' "$@"
    pages=$((pages + 1))
    [ $((pages % 4)) != 1 ] || as beamer '' "$@"
    [ $((pages % 16)) != 1 ] || handout "$@"
}

for document in "$root"/testdata/seeds/*.json "$root"/testdata/examples/*.json \
    "$root"/testdata/variants/*.json "$root"/testdata/positions/*.json \
    "$root"/tests/trace/documents/*.json "$root"/tests/formats/documents/*.json; do
    case $document in */bloem-tokens.json) continue ;; esac # has no numbers
    ! picked "$document" || page "$document"
done
page encode "$root/testdata/stacks/encoder-pre-gelu.json"
page decode "$root/testdata/stacks/seed-decoder.json"
page generate "$root/testdata/stacks/generator.json" --length 2 --temperature 2
# Numbers of all lengths, beside and below each other.
for size in 3x4 4x6 12x12 5x16 20x32; do
    picked "size $size" || continue
    selfattn init --quiet --tokens ${size%x*} --width ${size#*x} --seed 1 -o "$size.json"
    for digits in '' '--digits 4' '--digits 12'; do
        # shellcheck disable=SC2086
        page "$size.json" $digits
    done
done
# Words that mathematics would read as two raised things one after the other, which is not a LaTeX.
cat >words.json <<'EOF'
{"vocab": {"x²²": [3, 0], "a^b^c_": [0, 1], "\\\\{%": [1, 1]}, "tokens": ["a^b^c_"], "layers": [{}],
 "causal": true, "unembedding": [[0, 0, 0], [5, 1, 0]], "unembedding_bias": [0, 0, 0]}
EOF
page generate words.json --length 1 --temperature 0.1
finish
