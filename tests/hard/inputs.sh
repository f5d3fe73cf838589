# What is hard for a reader, in files of about $n bytes: deep, long, many, the same, out of order.
# input FILE SAID GENERATOR [COMMAND]: SAID is a part of what is said of it; with '' it is read, by
# diff where no other command stands there.
# shellcheck shell=sh disable=SC2016,SC2034,SC2154 # $n is expanded when a generator runs

# many COUNT FORMAT: FORMAT may have %d, which counts from 0, several times.
many() {
    awk -v n="$1" -v f="$2" 'BEGIN { for (i = 0; i < n; i++) printf f, i, i, i }'
}
# listed COUNT FORMAT: the same with commas between.
listed() {
    many "$1" "$2," | sed 's/,$//'
}
# down COUNT FORMAT: the last first.
down() {
    awk -v n="$1" -v f="$2" 'BEGIN { for (i = n - 1; i >= 0; i--) printf f, i, i, i }'
}

# --- JSON ---
x='"x": [[1]]'
input lists.json 'nested deeper than 64' 'many $n "["'
input objects.json 'nested deeper than 64' 'many $((n / 5)) "{\"a\":"'
input deep-and-wide.json '' '
    many 61 "{\"a\": "; echo "{"; listed $((n / 10)) "\"k%d\": 0"; many 62 "}"'
input number.json 'the number has' 'echo "[["; many $n 1; echo "]]"'
input numbers.json '' '
    echo "{\"a\": ["; listed $((n / 4096)) "1.00000005960464477539062500$(many 4060 0)1"; echo "]}"'
input string.json '' 'printf "{\"name\": \""; many $n a; echo "\", $x}"'
input escapes.json '' 'printf "{\"name\": \""; many $((n / 6)) "\\\\u0061"; echo "\", $x}"'
input open-string.json 'the string' 'printf "{\"name\": \""; many $n a'
input keys.json '' 'echo "{$x,"; listed $((n / 10)) "\"k%d\": 0"; echo "}"'
input same-keys.json 'is given twice' 'echo "{"; listed $((n / 7)) "\"k\": 0"; echo "}"'
input long-keys.json '' 'echo "{$x,"; listed $((n / 512)) "\"$(many 500 a)%d\": 0"; echo "}"'
input escaped-keys.json '' '
    echo "{$x,"; listed $((n / 2400)) "\"$(many 399 "\\\\\\\\u0061")%d\": 0"; echo "}"'
input words.json '' 'echo "{\"vocab\": {"; listed $((n / 12)) "\"w%d\": [1]"; echo "}, $x}"'
input texts.json '' 'echo "{$x,"; listed $((n / 10)) "\"k%d\": \"\""; echo "}"' \
    'convert --force --quiet texts.json out.npy'
input layers.json '' 'echo "{$x"; many $((n / 40)) ",\"layer.%d.output\": [[1]]"; echo "}"' \
    'diff --quiet layers.json layers.json'
input tokens.json '' 'echo "{$x, \"tokens\": ["; listed $((n / 4)) "\"a\""; echo "]}"'
input tokens-and-1.json 'expected a number' 'echo "["; listed $((n / 4)) "\"a\""; echo ",1]"'
input rows.json '' 'echo "["; listed $((n / 4)) "[1]"; echo "]"'
input ragged.json 'row 1 has 1' 'echo "["; listed $((n / 4)) "[1]"; echo ",[1,2]]"'
input records.json '' '
    echo "{$x, \"errata\": ["; listed $((n / 20)) "{\"row\": %d, \"col\": 1}"; echo "]}"'
input blanks.json 'expected a number' 'many $n "\n"; echo "[1,]"'
input commas.json 'expected a value' 'printf "["; many $n ","'
input quotes.json 'the end of the text' 'many $((n / 4)) "\"\\\\\"\""'
input UTF-8.json '' 'printf "{\"name\": \""; many $((n / 3)) "€"; echo "\", $x}"'
input unlike.jsonl '' 'many $((n / 32)) "{\"k%d\": [[1, 2, 3, 4]]}\n"' 'info unlike.jsonl'

# --- CSV and TSV ---
input row.csv '' 'listed $((n / 2)) 1'
input row.tsv '' 'many $((n / 2)) "1\t"; echo 1'
input column.csv '' 'many $((n / 2)) "1\n"'
input holes.csv '' 'many $n ","'
input field.csv 'bytes' 'many $n a; echo ,1'
input open-quote.csv 'never closed' 'printf "1,2\n\""; many $n a'
input quotes.csv 'quote' 'many $n "\""'
input quoted-lines.csv 'quote' 'many $((n / 3)) "\"a\n"'
input comments.csv '' 'many $((n / 2)) "#\n"; echo 1'
input blanks.csv '' 'many $n "\n"; echo 1'
input header.csv '' 'listed $((n / 12)) "a%d"; echo; listed $((n / 12)) "1%d"'
input labels.csv '' 'many $((n / 9)) "l%d,1\n"'
input blocks.csv '' 'many $((n / 17)) "# k%d 1x1\n1\n\n"'
input block-of-many.csv '' 'many $((n / 17)) "# k%d 1x1\n1\n\n"' \
    'diff --quiet block-of-many.csv:k0 other.json:other'
input same-blocks.csv 'second time' 'many $((n / 12)) "# k 1x1\n1\n\n"'
input heads.csv '' 'many $((n / 23)) "# k head=%d 1x1\n1\n\n"'
input heads-down.csv '' 'down $((n / 23)) "# k head=%d 1x1\n1\n\n"'
input origins.csv '' '
    many $((n / 50)) "# input: x%d, 2 x 2, f32, hash 0011223344556677\n"; echo 1' \
    'diff --quiet origins.csv origins.csv'
input CR.csv 'carriage return' 'many $((n / 2)) "1\r"'
input semicolons.csv 'is not a number' 'many $((n / 4)) "1;2\n"'

# --- tidy ---
H='stage,batch,head,row,col,value'
input stages.tidy '' 'echo $H; many $((n / 17)) "k%d,,,0,0,1\n"'
input quoted.tidy '' 'echo $H; many $((n / 22)) "\"a\"\"%d\",,,0,0,1\n"'
input rows.tidy '' 'echo $H; many $((n / 16)) "k,,,%d,0,1\n"'
input rows-down.tidy '' 'echo $H; down $((n / 16)) "k,,,%d,0,1\n"'
input in-turns.tidy '' '
    echo $H; for r in 0 1 2 3 4 5 6 7; do many $((n / 128)) "k%d,,,$r,0,1\n"; done'
input diagonal.tidy 'is missing' 'echo $H; many $((n / 20)) "k,,,%d,%d,1\n"'
input same.tidy 'second time' 'echo $H; many $((n / 12)) "k,,,0,0,1\n"'

# --- safetensors: the length of the header, the header, the data ---
# st HEADER-FILE DATA-LENGTH
st() {
    length=$(wc -c <"$1")
    for shift in 0 8 16 24 32 40 48 56; do
        # shellcheck disable=SC2059 # the format is the byte
        printf "\\$(printf %o $((length >> shift & 255)))"
    done
    cat "$1"
    head -c "$2" /dev/zero
}
# tensors COUNT OFFSETS: OFFSETS is BEGIN,END for tensor i
tensors() {
    awk -v n="$1" -v d="$2" 'BEGIN {
        for (i = 0; i < n; i++) {
            k = d ~ /down/ ? n - 1 - i : i
            span = d ~ /same/ ? "0,1" : d ~ /empty/ ? "0,0" : k "," k + 1
            printf "%s\"%s\":{\"dtype\":\"U8\",\"shape\":[%d],\"data_offsets\":[%s]}",
                (i > 0 ? "," : "{"), (d ~ /twice/ ? "k" : "k" i), (d !~ /empty/), span
        }
        print "}"
    }'
}
input tensors.safetensors '' 'tensors $((n / 64)) "" >h; st h $((n / 64))'
input tensors-down.safetensors '' 'tensors $((n / 64)) down >h; st h $((n / 64))'
input same-data.safetensors 'inside those of' 'tensors $((n / 64)) same >h; st h 1'
input same-names.safetensors 'is given twice' 'tensors $((n / 64)) twice >h; st h $((n / 64))'
input no-data.safetensors 'at least one number' 'tensors $((n / 64)) empty >h; st h 0'
input metadata.safetensors '' '
    { printf "{\"__metadata__\":{"; listed $((n / 10)) "\"k%d\":\"\""; echo "}}"; } >h; st h 0'
input axes.safetensors 'axes' '
    { printf "{\"k\":{\"dtype\":\"U8\",\"data_offsets\":[0,1],\"shape\":["
    listed $((n / 2)) 1; echo "]}}"; } >h; st h 1'
input no-tensor.safetensors 'expected dtype' '
    { printf "{\"k\":{"; listed $((n / 10)) "\"k%d\":0"; echo "}}"; } >h; st h 0'

# --- NPY: the header says that it has 65,000 bytes ---
# npy HEADER-FILE DATA-LENGTH
npy() {
    printf '\223NUMPY\1\0\350\375'
    { cat "$1"; many 65000 ' '; } | head -c 64999
    echo
    head -c "$2" /dev/zero
}
D="{'descr': '<f4', 'fortran_order': False, 'shape': ("
input numbers.npy '' 'echo "$D $((n / 4)),)}" >h; npy h $((n / 4 * 4))'
input fortran.npy '' '
    echo "$D 128, $((n / 512)))}" | sed s/False/True/ >h; npy h $((n / 512 * 512))'
input axes.npy 'axes' '{ printf "%s" "$D"; many $((n / 32)) "1,"; echo ")}"; } >h; npy h 4'
input brackets.npy 'expected' '{ printf "{"; many $((n / 32)) "["; echo "}"; } >h; npy h 4'

# --- NPZ: a matrix after members that are none ---
# members COUNT
members() {
    LC_ALL=C awk -v n="$1" '
        function put(number, bytes) {
            for (; bytes > 0; bytes--) { printf "%c", number % 256; number = int(number / 256) }
        }
        function common(i) {
            put(20, 2); put(0, 8); put(crc(i), 4); put(size(i), 4); put(size(i), 4)
            put(length(name(i)), 2); put(0, 2)
        }
        function name(i) { return i < n ? sprintf("k%07d", i) : "a.npy" }
        function size(i) { return i < n ? 0 : 74 }
        function crc(i) { return i < n ? 0 : 3354258892 }
        BEGIN {
            for (i = 0; i <= n; i++) { printf "PK"; put(1027, 2); common(i); printf "%s", name(i) }
            put(147, 1); printf "NUMPY"; put(1, 2); put(60, 2)
            q = "\047"
            print "{" q "descr" q ": " q "<f4" q ", " q "fortran_order" q ": False, " \
                q "shape" q ": (1, 1), }"
            put(0, 4)
            for (i = 0; i <= n; i++) {
                printf "PK"; put(513, 2); put(20, 2); common(i); put(0, 10); put(38 * i, 4)
                printf "%s", name(i)
            }
            printf "PK"; put(1541, 2); put(0, 4); put(n + 1, 2); put(n + 1, 2)
            put(54 * n + 51, 4); put(38 * n + 35 + 74, 4); put(0, 2)
        }'
}
input members.npz '' 'members $((n / 50))' 'info --format json members.npz'
input unread.npz '' 'members $((n / 50))' 'convert --force --quiet unread.npz out.npy'
