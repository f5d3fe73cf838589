# shellcheck shell=sh disable=SC2154,SC2086
# What all pages share, their style and script, is left out.
bare() {
    sed '/<style>/,/<\/style>/d; /^<script>/,/^<\/script>/d; /Content-Security-Policy/d'
}

# golden_page NAME.ENDING: prints the page that golden/NAME.ENDING is. Sourced by run.sh and
# record.sh, which set $root.
golden_page() {
    case $1 in
    *.json) format=json ;;
    *.markdown) format=markdown ;;
    *.qmd) format=pandoc ;;
    *.ipynb) format=notebook ;;
    *.tex) format=latex ;;
    *.html) format=html ;;
    esac
    steps=
    case $1 in marks.*) steps=--trace=inputs,scores,statistics ;; esac
    for folder in "$root/testdata/seeds" "$root/testdata/examples" "$root/tests/trace/documents" \
        "$root/tests/formats/documents"; do
        [ ! -f "$folder/${1%.*}.json" ] ||
            selfattn --quiet --trace-format "$format" $steps "$folder/${1%.*}.json" | bare
    done
}
