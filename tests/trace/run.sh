#!/bin/sh
# run.sh [WORD]: what --trace shows. WORD picks documents by name.
#
# numbers  every number of every document's trace is found among the stages that the same run emits,
#          and every result comes out of its operands again ($BUILD/trace_numbers says how)
# alter    a digit that is changed anywhere in a trace is noticed, each in its turn
# again    every number of a JSON trace, of its nodes and of its steps, comes out of its operands by
#          the trace's own derivations, and one that is changed is noticed (evaluate.py says how)
# stacks   the same of layers and of generations, by formulas that Python works out: each line is
#          true, and each formula for all rows (stack_numbers.py says how)
# lines    lines/NAME.txt, typed from the seed and not from the program, are in the trace in order
# golden   golden/NAME.txt is the trace, to the byte: layouts that a person read (record.sh NAME)
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
# shellcheck source=tests/trace/document.sh
. "$tests/document.sh"
# shellcheck source=tests/trace/stages.sh
. "$tests/stages.sh"
stages=$scratch/stages.json trace=$scratch/trace.txt

# all_stages DOCUMENT: the names of those that it has.
all_stages() {
    stages_of "$1" "q,k,v,scores,scaled,masked,row_max,exp,row_sum,weights,logsumexp,entropy,\
weighted,attended,context,output" x xk xv x_pos q_norm k_norm q_rope k_rope present_k present_v \
        q_score k_score capped top rounded
}

# numbers DOCUMENT CHECKER-OPTIONS [SELFATTN-OPTION]...: $stages is the same run's.
numbers() {
    document=$1 name=$(basename "$1" .json) how=$2
    shift 2
    # shellcheck disable=SC2086 # several words
    {
        selfattn --quiet --trace "$@" "$document" >"$trace" &&
            trace_numbers $how "$document" "$stages" "$trace"
    } >"$said" 2>&1
    count "$name: --trace $*"
}

# The runs that every document gets: with and without a trace the data are the same.
check_document() {
    name=$(basename "$1" .json) names=$(all_stages "$1")
    selfattn --quiet --emit "$names" --format json "$1" >"$stages" 2>"$said"
    count "$name: its stages are not emitted"
    selfattn --quiet --emit "$names" --format json --trace-output "$trace" "$1" 2>"$said" |
        cmp - "$stages" >>"$said" 2>&1
    count "$name: the data are others beside a trace"
    numbers "$1" ''
    numbers "$1" '--digits 2' --digits 2
    numbers "$1" '--digits 7' --digits 7
    read -r rows heads batches <<END
$(trace_numbers "$1" "$stages")
END
    middle=$(((rows + 1) / 2))
    numbers "$1" "--focus $middle 1 1" --focus "row=$middle"
    focus=row=$rows,head=$heads,batch=$batches
    numbers "$1" "--full --focus $rows $heads $batches" --full --focus "$focus"
    selfattn --quiet --emit "$names" --format json --dtype f64 "$1" >"$stages"
    numbers "$1" "--f64 --focus $rows $heads $batches" --dtype f64 --focus "$focus"
}

# bloem-tokens has no numbers; the page of labels has other letters than the document, on purpose.
for document in "$root"/testdata/seeds/*.json "$root"/testdata/examples/*.json \
    "$root"/testdata/variants/*.json "$root"/testdata/positions/*.json "$tests"/documents/*.json \
    "$(document large)"; do
    case $document in */bloem-tokens.json | */labels.json) continue ;; esac
    ! picked "$document" || check_document "$document"
done

steps='inputs parameters dimensions positions projections normalize rope cache scores scale cap mask
softmax statistics round weighted sum concat unify'
for golden in "$tests"/golden/*.txt; do
    name=$(basename "$golden" .txt)
    picked "$name" || continue
    document=$(document "$name")
    selfattn --quiet --trace "$document" 2>"$said" | diff -u "$golden" - >>"$said" 2>&1
    count "$name: the trace is not golden/ (tests/trace/record.sh writes it anew)"
    [ "$name" != labels ] || continue
    selfattn --quiet --emit "$(all_stages "$document")" --format json "$document" >"$stages"
    for step in $steps; do
        numbers "$document" '' --trace="$step"
    done
    [ "$name" != large ] || continue # 12,000 digits more of the same
    trace_numbers --alter "$document" "$stages" "$golden" >"$said" 2>&1 &&
        grep -q '^[0-9][0-9][0-9][0-9]* changes' "$said"
    count "$name: a changed digit is not noticed"
done

# stack_numbers COMMAND CHECKER-OPTIONS DOCUMENT [SELFATTN-OPTION]...: the stages are those of the
# sequence $whole, which is the document, or what a generation made of it; all of them as $type.
stack_numbers() {
    of=$1 how="--command $1 --dtype $type $2" document=$3 emits=$1
    shift 3
    [ "$of" != generate ] || emits=decode
    # shellcheck disable=SC2086 # several words
    {
        selfattn "$of" --quiet --dtype "$type" --trace "$@" "$document" >"$trace" &&
            selfattn "$emits" --quiet --dtype "$type" --emit '*' "$whole" >"$stages" &&
            python3 -B "$tests/stack_numbers.py" $how "$whole" "$stages" "$trace"
    } >"$said" 2>&1
    count "$(basename "$document" .json): $of --trace $* $how"
}

# lengthened DOCUMENT [OPTION]...: $whole has the generation's words behind the prompt; says the
# prompt's own length.
lengthened() {
    of=$1
    shift
    selfattn generate --quiet --dtype "$type" "$@" "$of" >"$scratch/words"
    python3 -B "$tests/stack_longer.py" "$of" "$scratch/words" "$whole"
}

# drawn DOCUMENT OPTION...: the numbers that the choices were drawn with, as checker's options.
drawn() {
    of=$1
    shift
    selfattn generate --quiet --dtype "$type" --trace=choice --digits 15 "$@" "$of" |
        sed -n 's/^ *part = drawn·total = \([0-9.]*\)·.*/--drawn \1/p' | tr '\n' ' '
}

check_generation() {
    whole=$scratch/whole.json type=f64 prompt=$(lengthened "$1" --length 3)
    stack_numbers generate "--prompt $prompt" "$1" --length 3
    stack_numbers generate "--prompt $prompt --digits 7" "$1" --length 3 --digits 7
    # Its numbers are so many that each change of one takes a minute.
    [ "$name" != generator ] || return
    stack_numbers generate "--prompt $prompt --alter 37" "$1" --length 3
    # Words are drawn alike, whatever their layers do.
    case $name in generation-*) return ;; esac
    hot='--length 3 --temperature 2 --seed 1'
    for type in f64 f32; do
        # shellcheck disable=SC2086 # several words
        {
            how="--prompt $(lengthened "$1" $hot) --temperature 2 $(drawn "$1" $hot)"
            stack_numbers generate "$how" "$1" $hot
            stack_numbers generate "$how --alter 37" "$1" $hot
        }
    done
}

# check_stack COMMAND DOCUMENT: in the focus nobody chose, in the second row and in the last row and
# head, with few digits and with many.
check_stack() {
    whole=$2 type=f64
    rows=$(selfattn "$1" --quiet --trace=embedded "$2" | sed -n 's/^  \([0-9]*\) rows* of .*/\1/p')
    heads=$(sed -n 's/^ *"heads": \([0-9]*\).*/\1/p' "$2")
    last="--row $rows --head ${heads:-1}"
    stack_numbers "$1" '' "$2"
    stack_numbers "$1" '--row 2' "$2" --focus row=2
    stack_numbers "$1" "$last --digits 2" "$2" --focus "row=$rows,head=${heads:-1}" --digits 2
    type=f32
    stack_numbers "$1" "$last" "$2" --focus "row=$rows,head=${heads:-1}"
    stack_numbers "$1" '--digits 7' "$2" --digits 7
    # Of numbers that are alike a change of place cannot be seen.
    case $name in decoder-[opsw]* | encoder-p* | gates)
        # A tanh of float32 has no seventh digit that is sure.
        [ "$name" = decoder-scores ] ||
            stack_numbers "$1" '--digits 7 --alter 97' "$2" --digits 7
        type=f64
        stack_numbers "$1" '--alter 37' "$2"
        stack_numbers "$1" "$last --alter 37" "$2" --focus "row=$rows,head=${heads:-1}" ;;
    esac
}

if python3 -c '' 2>/dev/null; then
    for document in "$root"/testdata/stacks/*.json "$tests"/stacks/*.json \
        "$root/tests/web/gates.json"; do
        name=$(basename "$document" .json)
        picked "$name" || continue
        case $name in
        generation* | generator | street) check_generation "$document" ;;
        *decoder*) check_stack decode "$document" ;;
        *) check_stack encode "$document" ;;
        esac
    done
else
    skip 'no Python here: the traces of stacks are not checked'
fi

# again TYPE: of all documents that --trace takes.
again() {
    mkdir -p "$scratch/$1"
    for document in "$root"/testdata/*/*.json "$tests"/documents/*.json "$tests"/stacks/*.json; do
        name=$(basename "$document" .json)
        picked "$name" || continue
        for command in run encode decode 'generate --length 2'; do
            made=$scratch/$1/$name-${command%% *}.json
            # shellcheck disable=SC2086 # several words
            timeout 20 selfattn $command --quiet --dtype "$1" --trace-format json \
                --trace-output "$made" -o /dev/null "$document" 2>"$said" || rm -f "$made"
        done
    done
    set -- "$1" "$scratch/$1"/*.json
    [ -f "$2" ] || return
    python3 -B "$tests/evaluate.py" --alter 7 "$@" >"$scratch/found"
    sed '$d' "$scratch/found"
    read -r well bad <<END
$(tail -n 1 "$scratch/found")
END
    passed=$((passed + well)) failed=$((failed + bad))
}
! python3 -c '' 2>/dev/null || { again f32; again f64; }

for lines in "$tests"/lines/*.txt; do
    name=$(basename "$lines" .txt)
    picked "$name" || continue
    selfattn --quiet --trace "$(document "$name")" >"$trace" 2>"$said"
    grep -v '^#' "$lines" | awk -v page="$trace" '
        # Spaces are layout, which golden/ has.
        function bare(line) {
            gsub(/ +/, " ", line)
            gsub(/\[ /, "[", line)
            sub(/^ /, "", line)
            return line
        }
        { want[++wanted] = bare($0) }
        END {
            for (at = 1; at <= wanted && (getline line <page) > 0;) {
                at += bare(line) == want[at]
            }
            if (at <= wanted)
                print "missing, or not in this order: " want[at]
            exit at <= wanted
        }' >>"$said"
    count "$name: a line of lines/ is not in the trace"
done
finish
