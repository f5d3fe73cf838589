# shellcheck shell=sh disable=SC2016
# What should grow as its input does. Sourced by run.sh, which says what grows is.
#   grows NAME MOST 'how $n of something are written' 'arguments of selfattn'

# each N FORMAT: FORMAT with the numbers 0 to N - 1 in place of its %d, joined by commas.
each() {
    awk -v n="$1" -v format="$2" 'BEGIN {
        for (i = 0; i < n; i++) { one = format; gsub(/%d/, i, one); printf "%s%s", i ? ",\n" : "", one }
    }'
}

# --- names in a bundle ---
names='{ echo "{"; each $n "\"a%d\": [[%d]]"; echo "}"; } >a.json'
in_npz="$names; "'selfattn convert --force a.json a.npz'
in_safetensors="$names; "'selfattn convert --force a.json a.safetensors'
for as in json npz safetensors; do
    make="$names; [ $as = json ] || selfattn convert --force a.json a.$as"
    grows "names in a $as, info" 100000 "$make" "info a.$as"
    grows "names in a $as, diff" 100000 "$make; cp a.$as b.$as" "diff a.$as b.$as"
    grows "names in a $as, convert" 100000 "$make" "convert --force a.$as b.json"
done
grows 'names in a json, convert to npz' 100000 "$names" 'convert --force a.json b.npz'
grows 'names in a json, convert to csv' 100000 "$names" 'convert --force a.json b.csv'
grows 'names that only one of two has' 100000 \
    "$names; sed s/a/b/ a.json >b.json" 'diff a.json b.json'
one='"wq": [[1]], "wk": [[1]], "wv": [[1]]'
bundle='{ echo "{$one,"; each $n "\"a%d\": [[%d]]"; echo "}"; } >w.json; echo "{\"x\": [[1]]}" >x.json'
grows 'names in a --bundle' 100000 "$bundle" 'run --bundle w.json x.json'

# --- layers ---
layers='"heads": 1, "x": [[1, 2]], "layers": ['
layer='{\"w1\": [[1, 0], [0, 1]], \"w2\": [[1, 0], [0, 1]]}'
stack='{ echo "{$layers"; each $n "$layer"; echo "]'
grows 'layers, encode' 10000 "$stack}\"; } >s.json" 'encode --threads 1 s.json'
grows 'layers, info' 100000 "$stack}\"; } >s.json" 'info s.json'
grows 'layers, check of the output' 10000 "$stack,\"; echo '\"expected\": {\"output\": [[1, 1]]}}'; } >s.json" \
    'check s.json'
grows 'layers, check of a stage each' 10000 "$stack,\"; echo '\"expected\": {'
    each \$n '\"layer.%d.output\": [[1, 1]]'; echo '}}'; } >s.json" 'check s.json'
