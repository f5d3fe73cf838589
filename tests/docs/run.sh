#!/bin/sh
# run.sh [WORD]: the examples of README.md and of the manual are run, the manual says what the
# option table says, shells and man(1) can read what is written for them, and what the table of the
# seeds names is there.
#
# In README.md, blocks without a language are examples: lines after $ (all lines, where none has
# it) are commands, and what stands below one is what it must print; … stands for lines left out.
# In the manual's EXAMPLES, lines that begin with a program's name are commands.
# In testdata/seeds/PARAGRAPHS.md, documents have the steps that are named, and cases are there.
# testdata/lectures is made by its command, and the marks are those of its README.
# Numbers that documents have from testdata/worked/calculate.py are those that it calculates.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
unset BUILD CASE
make_scratch

# leave_out WHAT WHY
leave_out() {
    ! picked "$1" || skip "$1: $2"
}

# expect WHAT COMMAND...: it ends with status 0 and says nothing.
expect() {
    picked "$1" || return
    what=$1
    shift
    "$@" >"$said" 2>&1 && [ ! -s "$said" ]
    count "$what"
}

# The example $1 prints nothing to stderr, and to stdout what is in the file $2, where there is any.
run_example() {
    sh -c "$1" >"$scratch/out" 2>"$scratch/err" </dev/null || echo "status $?"
    cat "$scratch/err"
    [ ! -s "$2" ] || awk -f "$tests/shown.awk" "$2" "$scratch/out"
}

# What an example needs and this machine lacks.
lacks() {
    for program in jq mlr; do
        case $1 in *"| $program "*) command -v $program >/dev/null || echo $program ;; esac
    done
}

# run_examples FILE NAME: in the folder that the caller is in.
run_examples() {
    awk -f "$tests/examples.awk" "$1" >"$scratch/examples"
    commands=$(grep -c '^\$ ' "$scratch/examples")
    expect "$2 has examples" test "$commands" -gt 0
    number=1
    while [ "$number" -le "$commands" ]; do
        awk -v wanted=$number '/^\$ / { number++ } number == wanted' "$scratch/examples" |
            sed -n -e "1s/^\\$ //w $scratch/command" -e "2,\$s/^> //w $scratch/shown"
        example=$(cat "$scratch/command")
        lack=$(lacks "$example")
        if [ -n "$lack" ]; then
            leave_out "$2: $example" "$lack is not here"
        else
            expect "$2: $example" run_example "$example" "$scratch/shown"
        fi
        number=$((number + 1))
    done
}

# ---- README.md, whose first examples make what the others take

mkdir "$scratch/readme" && cd "$scratch/readme" || exit 1
run_examples "$root/README.md" README
sed -n '/^```make/,/^```$/{ /^```/!p; }' "$root/README.md" >Makefile
mkdir golden && cp document.json golden/
expect 'README: golden files in a Makefile' sh -c 'make check-golden >said && grep -q "^ok  " said'

# ---- the manual

mkdir "$scratch/manual" && cd "$scratch/manual" || exit 1
run_examples "$root/build/man/selfattn.1" manual
for option in $(selfattn help all | grep -o -e '--[a-z][a-z-]*[a-z]' | sort -u); do
    expect "manual: it names $option" \
        grep -q -F -e "$(echo "$option" | sed 's/-/\\-/g')" "$root/build/man/selfattn.1"
    expect "cases: one of tests/cli uses $option" \
        grep -q -r -w -e "selfattn.* $option" -e "^\$  *$option" "$root/tests/cli"
done
for page in "$root"/build/man/*.[1-9]; do
    name=${page##*/}
    if command -v man >/dev/null && command -v groff >/dev/null; then
        expect "manual: man(1) has nothing to complain about in $name" sh -c \
            "LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z '$page' >'$scratch/page'"
    else
        leave_out "manual: man(1) has nothing to complain about in $name" 'man or groff is not here'
    fi
done

# ---- completions

for shell in bash zsh fish; do
    selfattn help --completion $shell >"$scratch/completion"
    if command -v $shell >/dev/null; then
        expect "completion: $shell reads it" $shell -n "$scratch/completion"
    else
        leave_out "completion: $shell reads it" "$shell is not here"
    fi
done

# ---- numbers that documents have from a calculation

if ! command -v python3 >/dev/null; then
    leave_out 'testdata: calculated numbers' 'python3 is not here'
else
    # shellcheck disable=SC2016 # the inner shell's
    expect 'testdata: calculated numbers' sh -c '
        python3 -B "$0/worked/calculate.py" --check "$0"/seeds/*.json "$0"/variants/*.json \
            "$0"/examples/*.json "$0"/positions/backward-*.json |
            grep -v "^[1-9][0-9]* agree, 0 differ$" || :' "$root/testdata"
fi

# ---- an example of a lecture, whose README says what becomes of each seat

lecture=$root/testdata/lectures/self-attention
# read_marks: "seat-01 33 33" a row of marks.csv.
read_marks() {
    sed -n 's|^answers/\(seat-[0-9]*\)\.json,.*,\([0-9]*\),\([0-9]*\)$|\1 \2 \3|p' "$1"
}
if picked lecture; then
    expect 'lecture: it is made' sh "$lecture/lecture.sh" "$scratch/lecture"
    for file in $(grep -o -w '[a-z0-9-]*\.\(beamer\.tex\|html\|qmd\|ipynb\|md\|csv\|txt\)' \
        "$lecture/README.md" | sort -u); do
        case $file in README.md | PARAGRAPHS.md | S.md) continue ;; esac
        expect "lecture: $file" test -s "$scratch/lecture/$file"
    done
    for made in pdflatex:slides.pdf pandoc:handout.docx; do
        if command -v "${made%:*}" >/dev/null; then
            expect "lecture: ${made#*:}" test -s "$scratch/lecture/${made#*:}"
        else
            leave_out "lecture: ${made#*:}" "${made%:*} is not here"
        fi
    done
    sed -n 's/^| \(seat-[0-9]*\) | \([0-9]*\) | \([0-9]*\) |.*/\1 \2 \3/p' "$lecture/README.md" \
        >"$scratch/seats"
    read_marks "$scratch/lecture/marks.csv" >"$scratch/marks"
    expect 'lecture: seats' test -s "$scratch/seats"
    expect 'lecture: marks' cmp "$scratch/seats" "$scratch/marks"
    expect 'lecture: a mistake is named' \
        grep -q 'why: scale-missing: .*(all answers)' "$scratch/lecture/marks.txt"
fi

# ---- where each paragraph of the seeds is seen

# places: what the table may name.
places() {
    echo 'nothing to compute'
    sed -n 's/^# /case: /p' "$root"/tests/cli/*.txt
    (cd "$root/testdata/refused" && printf '%s: refused\n' *.json) | sed 's/\.json//'
    {
        (cd "$root/testdata" && printf '%s\n' seeds/*.json)
        awk '$2 ~ /json$/ && $3 != "" { print $2, $3 }' "$root/testdata/built-in.txt"
    } | while read -r file command; do
        echo "document ${file##*/}"
        selfattn "${command:-run}" --quiet --trace-format json "$root/testdata/$file"
    done | awk '
        /^document / { name = substr($2, 1, length($2) - 5) }
        /^ *"step": / { gsub(/[",]/, ""); print name ": " $NF }'
}

if picked 'seeds: a place is there, and each paragraph has a row'; then
    places >"$scratch/places"
    set -- "$root"/../shared/seeds/*.txt
    if [ ! -f "$1" ]; then
        set --
        skip 'seeds: each paragraph has a row: the seeds are not here'
    fi
    expect 'seeds: a place is there, and each paragraph has a row' awk -f "$tests/paragraphs.awk" \
        "$root/testdata/seeds/PARAGRAPHS.md" "$scratch/places" "$@"
fi

finish
