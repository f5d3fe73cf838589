# shellcheck shell=sh disable=SC2154
# document NAME: the file of this name, out of testdata or made for these tests. Sourced by run.sh
# and record.sh, which set $root, $tests and $scratch.
document() {
    if [ "$1" = large ]; then
        [ -f "$scratch/large.json" ] || awk -f "$tests/large.awk" >"$scratch/large.json"
        echo "$scratch/large.json"
        return
    fi
    for folder in "$root/testdata/seeds" "$root/testdata/examples" "$root/testdata/variants" \
        "$root/testdata/positions" "$root/testdata/stacks" "$tests/documents"; do
        [ ! -f "$folder/$1.json" ] || echo "$folder/$1.json"
    done
}
