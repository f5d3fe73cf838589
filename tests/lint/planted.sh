#!/bin/sh
# planted.sh: each lint passes over a small good tree, and fails when one bad line is planted in it.
lints=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree" || exit 1
mkdir -p src/base src/io src/cli src/kernels tests/cli tests/unit tests/kernels \
    src/attn/spec tests/ref testdata/seeds testdata/examples testdata/variants
touch main.c README.md && cp "$lints/../../.clang-format" .
wrong=0

# lint NAME: the lint's status over the tree, and what it said.
lint() {
    "$lints/$1.sh" >said 2>&1
}

# plant NAME FILE LINE...: the lint fails when the lines stand at the end of the file, and names it.
plant() {
    name=$1 file=$2
    shift 2
    lint "$name"
    before=$?
    [ "$before" != 77 ] || return
    [ "$before" = 0 ] || { wrong=1; echo "$name fails over a good tree:"; cat said; }
    cp "$file" kept
    printf '%s\n' "$@" >>"$file"
    if lint "$name" || ! grep -q "$file" said; then
        wrong=1
        echo "$name does not find this in $file: $*"
    fi
    mv kept "$file"
}

cat >src/base/err.h <<'END'
/* printf and exit are fine in a comment. */
bool err_set(err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
END
cat >src/io/read.c <<'END'
#include "base/err.h"
bool refuse(err *e)
{
    return err_set(e, "\"%s\" is not a matrix: use printf or exit", "x");
}
END
echo '! selfattn: "a" is not a matrix: use printf or exit' >tests/cli/errors.txt
cat >src/cli/cli.c <<'END'
#include "io/read.h"
END

plant layers src/base/err.h '#include "io/read.h"'
plant layers src/io/read.c '#include "../cli/cli.h"'
plant layers src/io/read.c '#include "cli/cli.h"'
plant layers src/io/read.c '#include "read.h"'
plant layers src/io/read.c '/* a comment' 'of two lines */ int f = printf("x");'
plant layers src/base/err.h 'static void stop(void) { exit(2); }'
plant layers src/base/err.h 'char *home(void) { return getenv("HOME"); }'
plant layers src/base/err.h 'FILE *out;'
plant messages src/io/read.c 'bool no(err *e) { return err_set(e, "a case of " "nothing"); }'
plant messages src/io/read.c 'bool no(err *e) { err_set(e, f() ? "%s is not a matrix" : "never"); }'
plant width src/io/read.c "/* $(printf '%099d' 0) */"
plant width README.md "$(printf '%0101d' 0)"
printf 'UNIT(read)\n{\n}\n' >tests/unit/test_read.c
touch tests/unit/helper.c
echo 'KERNEL_OF(void, cap, (double most, void *out))' >src/kernels/kernel_list.h
echo 'with->cap(2, out);' >tests/kernels/slots.c
echo 'OPERATION(OP_COPY, "copy", "a", .spelled = "{a}")' >src/attn/spec/operation_list.h
mkdir -p src/render/page
printf 'const WORK = {\n  copy,\n};\n' >src/render/page/evaluate.js
echo "const MADE = new Map([['tanh', tangent]]);" >src/render/page/formula.js
echo 'score dot = {.named = {"dot", "q·k as it is"}};' >src/attn/spec/score.c
echo 'made dot = {"dot", product_score};' >tests/ref/ref_attention.c
for folder in seeds examples variants; do
    echo '{"score": "dot", "expected": {"scores": [[1]]}}' >testdata/$folder/dot.json
done
lint registered || { wrong=1; echo 'registered fails over a good tree:'; cat said; }
touch tests/unit/test_write.c
if lint registered || ! grep -q test_write.c said; then
    wrong=1
    echo 'registered does not find a file without a test'
fi
rm tests/unit/test_write.c
printf '%s\n' 'OPERATION(OP_CAP, "cap", "c", .spelled = "{b}·tanh({a}\n / {b})")' \
    >>src/attn/spec/operation_list.h
plant registered src/attn/spec/operation_list.h \
    'OPERATION(OP_WAVE, "wave", "a wave", .spelled = "{a}[c?\n + {c}] + sin({b})")'
plant layers src/attn/spec/score.c '#include "attn/plan/plan.h"'
plant registered src/attn/spec/score.c 'score cosine = {.named = {"cosine", "an angle"}};'
echo '[STAGE_SCORES] = {{{"scores", "q·k"}, KEY_EXPECTED}},' >src/attn/spec/stage.c
echo 'ref_stage_new("scores", "weights");' >tests/ref/ref_stages.c
for stage in exp weights; do # without a reference, without a document that expects it
    plant registered src/attn/spec/stage.c "[STAGE_OTHER] = {{{\"$stage\", \"\"}, KEY_EXPECTED}},"
done
plant registered src/kernels/kernel_list.h 'KERNEL_OF(void, add,' '          (void *out))'
printf '%s\n' 'static const format ROWS[] = {' '    {{"csv", "rows"}, ".csv", csv_read},' '};' \
    >src/io/format.c
mkdir -p src/text tests/fuzz tests/differ
echo 'for format in csv; do' >tests/differ/run.sh
echo 'format_by_name("csv"), format_by_name("npy")' >tests/fuzz/fuzz_csv.c
printf '# csv\nRows.\n\n# mtx\nA matrix.\n' >src/text/formats.txt
echo '$ selfattn -x a.csv' >tests/cli/formats.txt
plant registered src/io/format.c 'format tidy = {{"tidy", "a table"}, ".csv"};'
plant registered src/io/format.c 'format mtx = {{"mtx", "a matrix"}, ".mtx"};'
plant registered src/io/format.c 'static const format ROWS[] = {' '{mtx_read},' '};'
plant style src/io/read.c 'int   f(void);'

# 100 columns are fine, in 300 bytes too.
printf '/* %094d */\n' 0 | sed 's/0/…/g' >>src/io/read.c
lint width || { wrong=1; echo 'width counts bytes'; }
exit "$wrong"
