#!/bin/sh
# run.sh [WORD]: runs the cases of the command line, or those whose name holds WORD; $TABLES are
# the names of the .txt files to take (absent: all).
#
# A case is a folder of cases/, its name the claim: `cmd` is run by sh in a copy of the folder, must
# write `expout` to stdout and `experr` to stderr (absent: nothing), and end with the status in
# `status` (absent: 0). Small cases are groups of lines in *.txt, a blank line between them:
#     # what is claimed
#     $ the command; several such lines are one script
#     > a line of stdout
#     ! a line of stderr
#     ? the status; without this line 2 where only stderr is expected, else 0
# A case that expects nothing fails. Commands find selfattn in PATH, and testdata next to them.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
unset CASE BUILD
make_scratch
case=$scratch/case want=$scratch/want got=$scratch/got

# Few processes a case: there are more than a thousand.
begin_case() {
    rm -rf "$case" "$want" "$got" && mkdir "$case" "$want" "$got"
    claim=
}

# expects: whether $want says anything.
expects() {
    [ -f "$want/expout" ] || [ -f "$want/experr" ] || [ -f "$want/status" ]
}

# run_case CLAIM: $case holds the case's files, and $want what must come out.
run_case() {
    picked "$1" || return
    if ! expects || [ ! -f "$case/cmd" ]; then
        fail "$1: has no cmd, or expects nothing: no expout, experr or status"
        return
    fi
    : >>"$want/expout"
    : >>"$want/experr"
    [ -f "$want/status" ] || echo 0 >"$want/status"
    ln -s "$root/testdata" "$case/testdata"
    (cd "$case" && exec sh ./cmd) </dev/null >"$got/expout" 2>"$got/experr"
    echo $? >"$got/status"
    (cd "$scratch" && exec diff -ru want got >"$said")
    count "$1: what came out (+) is not what must (-)"
}

# end_group: the lines since the last one are a case.
end_group() {
    expects || [ -f "$case/cmd" ] || { claim=; return; }
    [ ! -f "$want/experr" ] || [ -f "$want/expout" ] || [ -f "$want/status" ] ||
        echo 2 >"$want/status"
    run_case "${claim:-a case without a claim}"
    begin_case
}

run_table() {
    begin_case
    while IFS= read -r line || [ -n "$line" ]; do
        rest=${line#?}
        rest=${rest# }
        case $line in
        '') end_group ;;
        '#'*) claim=$rest ;;
        '$'*) printf '%s\n' "$rest" >>"$case/cmd" ;;
        '>'*) printf '%s\n' "$rest" >>"$want/expout" ;;
        '!'*) printf '%s\n' "$rest" >>"$want/experr" ;;
        '?'*) printf '%s\n' "$rest" >"$want/status" ;;
        *) fail "${1##*/}: a line that begins with none of # \$ > ! ?: $line" ;;
        esac
    done <"$1"
    end_group
}

for folder in "$tests"/cases/*/; do
    [ -d "$folder" ] || continue
    begin_case
    cp -R "$folder." "$case"
    for file in expout experr status; do
        [ ! -f "$case/$file" ] || mv "$case/$file" "$want"
    done
    run_case "$(basename "$folder")"
done
for table in ${TABLES:-$(basename -s .txt -- "$tests"/*.txt)}; do
    run_table "$tests/$table.txt"
done
finish
