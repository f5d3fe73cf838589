# shellcheck shell=sh disable=SC2154
# What a program of another kind of machine prints next to the one that is built here. Sourced by
# suites that have a scratch folder, and a file left-out.txt of cases that suppose what it lacks:
# their claims, or, after $, what stands in their commands.

# hold CLAIM COMMAND...: unless another claim is asked for.
hold() {
    picked "$1" || return
    claim=$1
    shift
    "$@" >"$said" 2>&1
    count "$claim"
}

# print_of PROGRAM FILE: its trace, what it says, and its status.
print_of() {
    "$1" run --trace --color never "$2" 2>&1 </dev/null
    echo "status $?"
}

# check_traces PROGRAM: of all documents, refused ones too; what differs is told.
check_traces() {
    find testdata -name '*.json' | LC_ALL=C sort | while read -r file; do
        print_of build/release/selfattn "$file" >"$scratch/here"
        print_of "$1" "$file" | cmp -s "$scratch/here" - || echo "$file"
    done >"$scratch/differ"
    cat "$scratch/differ"
    [ ! -s "$scratch/differ" ]
}

# left_out: the claims of cases that left-out.txt names.
left_out() {
    awk '
        FNR == NR && sub(/^\$ /, "") { words[$0] }
        FNR == NR { if (!/^#/) print; next }
        /^#/ { claim = substr($0, 3) }
        /^\$/ { for (word in words) if (index($0, word)) print claim }
    ' "$tests/left-out.txt" tests/cli/*.txt
}

# run_cases FOLDER EVERY: the cases of the command line, or every so many'th, with FOLDER/selfattn.
run_cases() {
    WITHOUT=$(left_out) CASES_EVERY=$2 BUILD=$1 build/release/cli >"$scratch/cases"
    grep -a -A 20 '^FAIL' "$scratch/cases"
    tail -n 1 "$scratch/cases" | grep -q '^[1-9][0-9]* passed, 0 failed$'
}
