# shellcheck shell=sh disable=SC2016
# What should grow as its input does. Sourced by run.sh.
#   grows NAME 'how $n of something are written' 'arguments of selfattn' [MOST]
# Layers end at 100,000, since each takes a kilobyte and more; a trace of a generation is not here:
# each step writes a row for all keys.

# each FORMAT [BETWEEN]: FORMAT $n times, with the numbers from 0 in place of its %d; lines where
# nothing is between them. By seq and sed: mawk takes the longer for each, the more it has written.
each() {
    seq 0 $((n - 1)) | sed "s|.*|$(echo "$1" | tr '\n' ' ' | sed 's/%d/\&/g')|" |
        if [ -n "${2-,}" ]; then paste -s -d "${2-,}"; else cat; fi
}

# --- names in a bundle ---
# named LETTER: matrices a0, a1, …
named() {
    echo "{$(each "\"$1%d\": [[%d]]")}"
}
for as in json npz safetensors; do
    make="named a >a.json; selfattn convert --quiet --force a.json b.$as"
    grows "names in $as, info" "$make" "info b.$as"
    grows "names in $as, diff" "$make" "diff a.json b.$as"
    grows "names in $as, convert" "$make" "convert --force b.$as c.json"
    grows "names in $as, written" "$make" "convert --force a.json c.$as"
done
grows 'names that one of two has' '
    named a | sed "s/{/{\"same\": [[1]],/" >a.json
    sed s/a[0-9]/b\&/ a.json >b.json' 'diff a.json b.json'
grows 'names in a --bundle' '
    echo "{\"wq\": [[1]], \"wk\": [[1]], $(each "\"a%d\": [[1]]")}" >w.json
    echo "{\"x\": [[1]]}" >x.json' 'run --bundle w.json x.json'

# --- layers ---
# layers [MORE]: a document of so many; MORE, keys of it.
layers() {
    echo "{\"heads\": 1, \"x\": [[1, 2]], ${1-} \"layers\": [
        $(each '{"w1": [[1, 0], [0, 1]], "w2": [[1, 0], [0, 1]]}')]}"
}
grows 'layers, info' 'layers >s.json' 'info s.json' 100000
grows 'layers, encode' 'layers >s.json' 'encode --threads 1 s.json' 100000
grows 'layers, all stages' 'layers >s.json' 'encode --threads 1 --emit \* s.json' 100000
grows 'layers, gradients' "layers '\"loss\": \"sum\",' >s.json" 'encode --threads 1 s.json' 10000
grows 'layers, train' "layers '\"loss\": \"sum\",' >s.json" \
    'train --steps 1 --threads 1 s.json' 10000
grows 'layers, check' "layers '\"expected\": {\"output\": [[1, 1]]},' >s.json" 'check s.json' 100000
grows 'stages that are expected' \
    'layers "\"expected\": {$(each "\"layer.%d.output\": [[1, 1]]")}," >s.json' \
    'check s.json' 100000
grows 'names besides stages in --actual' 'layers >s.json
    named a | sed "s/{/{\"output\":[[1,1]],/" >r.json' \
    'check --actual r.json s.json' 100000
grows 'tolerances' 'layers "\"expected\": {$(each "\"layer.%d.output\": [[1, 1]]")},
    \"tol\": {$(each "\"layer.%d.output\": 1")}," >s.json' 'check s.json' 100000

# experts [MORE]: a layer with so many.
experts() {
    echo "{\"heads\": 1, \"x\": [[1, 2]], ${1-} \"layers\": [{\"top_experts\": 1,
        \"router\": [[$(each %d ,)], [$(each 1 ,)]],
        \"experts\": [$(each '{"w1": [[1], [0]], "w2": [[1, 0]]}')]}]}"
}
grows 'experts' 'experts >s.json' 'encode --threads 1 s.json' 100000
grows 'experts, gradients' "experts '\"loss\": \"sum\",' >s.json" 'encode --threads 1 s.json' 10000

# --- documents ---
document='"q": [[1, 2]], "k": [[1, 0]], "v": [[1, 1]]'
grows 'documents in JSON Lines, run' 'each "{$document}" "" >d.jsonl' 'run --threads 1 d.jsonl'
grows 'documents in JSON Lines, check' \
    'each "{$document, \"expected\": {\"output\": [[1, 1]]}}" "" >d.jsonl' 'check --jobs 1 d.jsonl'
grows 'errata' 'echo "{\"q\": [[1]], \"k\": [[1]], \"v\": [[$(each 2)]],
    \"expected\": {\"output\": [[$(each 1)]]}, \"errata\": [$(each "{\"stage\": \"output\",
    \"row\": 0, \"col\": %d, \"published\": 1, \"computed\": 2}")]}" >d.json' 'check d.json'

# --- labels, words ---
rows='{ echo ,a,b; each "token%d,1,2" ""; echo; } >m.csv'
columns='{ each "token%d" | tr -d "\n"; echo; each %d | tr -d "\n"; echo; } >m.csv'
grows 'labels of rows, read' "$rows" 'info m.csv'
grows 'labels of rows, written' "$rows" 'convert m.csv --force c.csv'
grows 'labels of columns, read' "$columns" 'info m.csv'
grows 'labels of columns, written' "$columns" 'convert m.csv --force c.csv'
grows 'tokens in a vocab' '
    echo "{\"vocab\": {$(each "\"w%d\": [1, %d]")}, \"tokens\": [$(each "\"w%d\"")],
        \"score\": \"dot\", \"window\": [0, 0]}" >d.json' 'run --threads 1 --emit x d.json'

# --- generation ---
grows 'steps of a generation with a window' '
    echo "{\"heads\": 1, \"ids\": [1], \"embedding\": [[1, 0], [0, 1]], \"window\": [4, 0],
        \"layers\": [{}]}" >g.json' 'generate --threads 1 g.json --length $n'

# --- options that are given many times; a command line holds some ten thousand ---
# words FORMAT: one for each.
words() {
    each "$1" '' | tr '\n' ' '
}
grows '--map of diff' 'named a >a.json; named b >b.json' \
    'diff $(words "--map a%d=b%d") a.json b.json' 10000
bundle='echo "{\"x\": [[1, 2]]}" >x.json
    echo "{$(each "\"layers.%d.w1\": [[1, 0], [0, 1]], \"layers.%d.w2\": [[1, 0], [0, 1]],
        \"a%d\": [[1, 0], [0, 1]]")}" >w.json'
grows '--map of layers' "$bundle" \
    'encode --threads 1 $(words "--map layers.%d.w1=a%d") --bundle w.json x.json' 10000
grows '--map of layers to none' "$bundle" \
    'encode --threads 1 $(words "--map none=a%d") --bundle w.json x.json' 10000
grows '--ignore' 'named a | sed "s/{/{\"same\": [[1]],/" >a.json' \
    'diff $(words "--ignore a%d") a.json a.json' 10000
grows '--tol of diff' 'named a >a.json' 'diff $(words "--tol a%d=1") a.json a.json' 10000
grows '--tol of check' "layers '\"expected\": {\"output\": [[1, 1]]},' >s.json" \
    'check $(words "--tol layer.%d.output=1") s.json' 10000
grows '--emit' 'layers >s.json' \
    'encode --threads 1 $(words "--emit layer.%d.output") s.json' 10000
