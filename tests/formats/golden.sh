# shellcheck shell=sh disable=SC2154
# golden_page NAME.ENDING: prints the page that golden/NAME.ENDING is. Sourced by run.sh and
# record.sh, which set $root.
golden_page() {
    case $1 in
    *.json) format=json ;;
    *.md) format=markdown ;;
    *.tex) format=latex ;;
    *.html) format=html ;;
    esac
    for folder in "$root/testdata/seeds" "$root/testdata/examples" "$root/tests/trace/documents"; do
        [ ! -f "$folder/${1%.*}.json" ] ||
            selfattn --quiet --trace-format "$format" "$folder/${1%.*}.json"
    done
}
