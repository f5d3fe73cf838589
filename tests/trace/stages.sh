# shellcheck shell=sh disable=SC2154
# stages_of DOCUMENT NAMES OTHER...: NAMES, a list, and those of the others that the document makes.
# Sourced by run.sh here and of tests/formats, which set $scratch.
stages_of() {
    of=$1 names=$2
    shift 2
    for name; do
        ! selfattn --quiet --emit "$name" -o "$scratch/one.json" "$of" 2>/dev/null ||
            names=$names,$name
    done
    echo "$names"
}
