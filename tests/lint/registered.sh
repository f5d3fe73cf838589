#!/bin/sh
# registered.sh: nothing is written and not tested.
wrong=0
say() {
    wrong=1
    echo "$1"
}

# Each file of unit tests has one that runs, UNIT(name).
for file in $(grep -L '^UNIT\(_OF\)*(' tests/unit/test_*.c tests/kernels/test_*.c); do
    say "$file: has no UNIT(name)"
done

# names LIST MACRO: the names in a list of rows MACRO(constant or type, name, ...).
names() {
    tr -d '\n' <"$1" | grep -o "$2( *[A-Za-z_]*, *\"*[a-z_0-9]*" | sed 's/.*[ ,"]//'
}

# Each kernel is called by a slot; each score function has one.
list=src/kernels/kernel_list.h
for kernel in $(names $list KERNEL_OF); do
    grep -q "with->$kernel(" tests/kernels/slots.c src/attn/spec/score.c ||
        say "$list: tests/kernels/slots.c calls no $kernel"
done

# spelled OPERATION: the names in its spelling.
spelled() {
    tr -d '\n' <"$list" | sed 's/OPERATION(/\
&/g' | sed -n "s/^OPERATION([A-Z_]*, \"$1\".*\.spelled = \"\([^\"]*\)\".*/\1/p" |
        sed 's/\\n//g; s/{[^}]*}/ /g; s/\[[a-d]?/ /g' | grep -o '[a-zA-Z]*'
}

# Pages work out each operation: by arithmetic that they know, or by a row, or as a row of a matrix.
list=src/attn/spec/operation_list.h
for operation in $(names $list OPERATION); do
    case $operation in variance | inverse_root | hide) continue ;; esac
    sed -n '/WORK = {/,/^}/p' src/render/page/evaluate.js | grep -q "\<$operation\>" && continue
    for name in $(spelled "$operation"); do
        grep -q "\['$name'," src/render/page/formula.js ||
            say "$list: src/render/page has no $name for $operation"
    done
done

# Each score function has a reference, and a document that expects its numbers; the suites check it,
# and work out its trace.
list=src/attn/spec/score.c
for score in $(grep -o '\.named = {"[a-z_]*' $list | sed 's/.*"//'); do
    grep -q "{\"$score\", [a-z_]*_score}" tests/ref/ref_attention.c ||
        say "$list: tests/ref/ref_attention.c has no $score"
    grep -l "\"score\": \"$score\"" testdata/seeds/*.json testdata/examples/*.json \
        testdata/variants/*.json | xargs grep -q '"expected"' ||
        say "$list: no document in testdata expects scores of $score"
done

# Each stage has a reference, and a document that expects its numbers.
list=src/attn/spec/stage.c
expected=$(awk 'FNR == 1 { is_on = 0 } /"expected"/ { is_on = 1 } is_on' testdata/*/*.json)
for stage in $(sed -n 's/.*\[STAGE_[A-Z_]*\] = {{{"\([a-z_]*\)".*/\1/p' $list); do
    grep -q "\"$stage\"" tests/ref/*.c || say "$list: tests/ref has no $stage"
    echo "$expected" | grep -q "\"$stage\":" ||
        say "$list: no document in testdata expects $stage"
done

# Each format has its paragraph, and a case that names a file by its ending.
list=src/io/format.c
for row in $(grep -o '{{"[a-z_]*", "[^"]*"}, "\.[a-z]*' $list | sed 's/{{"//; s/".*"/:/'); do
    grep -qx "# ${row%:*}" src/text/formats.txt ||
        say "$list: src/text/formats.txt has no ${row%:*}"
    grep -q "[a-z0-9]\\${row#*:}\>" tests/cli/*.txt ||
        say "$list: no case in tests/cli has a file that ends in ${row#*:}"
done

# What reads a format is fuzzed, and something else has read the same files.
rows=$(sed -n '/ROWS\[\]/,/^};/p' $list)
for reader in $(echo "$rows" | grep -o '[a-z]*_read\>' | sed 's/_read//' | sort -u); do
    grep -q "\"$reader\"" tests/fuzz/fuzz_*.c || say "$list: no target of tests/fuzz reads $reader"
    grep -q "\<$reader\>" tests/differ/run.sh || [ -d "tests/$reader" ] ||
        say "$list: tests/differ reads no $reader, and tests/$reader is not there"
done
exit $wrong
