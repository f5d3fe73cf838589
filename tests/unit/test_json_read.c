/* Reading JSON: what each kind of key becomes, what is refused, in which words and where. */
#include "io/format.h"

#include "base/text.h"
#include "said.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

static const key KEYS[] = {
    {{"x", ""}, KEY_MATRIX},        {{"wq", ""}, KEY_MATRIX},     {{"bias", ""}, KEY_BIAS},
    {{"mask", ""}, KEY_MASK},       {{"scale", ""}, KEY_SETTING}, {{"dtype", ""}, KEY_SETTING},
    {{"title", ""}, KEY_TEXT},      {{"tokens", ""}, KEY_LIST},   {{"vocab", ""}, KEY_VOCAB},
    {{"expected", ""}, KEY_STAGES}, {{"tol", ""}, KEY_TOL},       {{"errata", ""}, KEY_RECORDS},
};
static const named_table KEY_TABLE = NAMED_TABLE("key", KEYS);

static const read_options AS_DOCUMENT = {.file = "f", .keys = &KEY_TABLE, .type = DTYPE_F32};
static const read_options AS_IT_IS = {.file = "f", .kind = KEY_EXPECTED, .type = DTYPE_F32};

static bool read_json(const char *json, read_options how, bundle *b, err *e)
{
    *b = (bundle){0};
    *e = (err){0};
    return json_read(json, strlen(json), &how, b, e);
}

/* The element of this number, from 0, in C order, of a tensor that must have this shape; NaN where
 * it has not. */
static double number_at(const bundle *b, const char *name, dtype type, int rank, const size_t *size,
                        size_t which)
{
    const tensor *t = bundle_tensor(b, name);
    size_t index[TENSOR_MAX_RANK] = {0};
    if (t == NULL || t->type != type || t->rank != rank)
        return NAN;
    if (rank > 0 && memcmp(t->size, size, (size_t)rank * sizeof size[0]) != 0)
        return NAN;
    while (which-- > 0)
        tensor_next(t, index);
    return tensor_get(t, index);
}

static double scalar(const bundle *b, const char *name, dtype type)
{
    return number_at(b, name, type, 0, NULL, 0);
}

static const char DOCUMENT[] =
    "{\n"
    "  \"_remark\": [null, {\"any\": 1}],\n"
    "  \"x\": [[1, 2.5, -3e2],\n        [0.1, 0, 7]],\n"
    "  \"wq\": [[[[1]], [[2]]], [[[3]], [[4]]], [[[5]], [[6]]]],\n"
    "  \"bias\": [\"-Infinity\", \"-INF\", 0],\n"
    "  \"mask\": [[true, 1, 1.0], [false, 0, -0e5]],\n"
    "  \"scale\": 0.1, \"title\": \"a \\u00e9 \\\"b\\\"\",\n"
    "  \"tokens\": [\"the\", \"\\ud83d\\ude39\"],\n"
    "  \"vocab\": {\"_\": [1], \"cat\": 2},\n"
    "  \"expected\": {\"_\": 1, \"scores\": [[null, \"nan\"], [\"inf\", 0.1]], \"q\": null},\n"
    "  \"tol\": {\"scores\": 1e-9, \"_\": []},\n"
    "  \"errata\": [{\"stage\": \"q\", \"row\": 0}, {}]\n"
    "}\n";

static void reads_matrices(unit *u, const bundle *b)
{
    static const size_t X[] = {2, 3}, WQ[] = {3, 2, 1, 1}, BIAS[] = {3}, MASK[] = {2, 3};
    static const double TRUTH[] = {1, 1, 1, 0, 0, 0};
    CHECK(u, number_at(b, "x", DTYPE_F32, 2, X, 1) == 2.5);
    CHECK(u, number_at(b, "x", DTYPE_F32, 2, X, 2) == -300);
    CHECK(u, number_at(b, "x", DTYPE_F32, 2, X, 3) == (double)0.1f);
    CHECK(u, number_at(b, "x", DTYPE_F32, 2, X, 5) == 7);
    CHECK(u, number_at(b, "wq", DTYPE_F32, 4, WQ, 0) == 1);
    CHECK(u, number_at(b, "wq", DTYPE_F32, 4, WQ, 5) == 6);
    CHECK(u, number_at(b, "bias", DTYPE_F32, 1, BIAS, 0) == -HUGE_VAL);
    CHECK(u, number_at(b, "bias", DTYPE_F32, 1, BIAS, 1) == -HUGE_VAL);
    CHECK(u, number_at(b, "bias", DTYPE_F32, 1, BIAS, 2) == 0);
    for (size_t i = 0; i < 6; i++)
        CHECK(u, number_at(b, "mask", DTYPE_BOOL, 2, MASK, i) == TRUTH[i]);
}

static void reads_objects(unit *u, const bundle *b)
{
    static const size_t ONE[] = {1}, SCORES[] = {2, 2};
    const bundle *vocab = bundle_find(b, "vocab")->bundle,
                 *stages = bundle_find(b, "expected")->bundle;
    CHECK(u, vocab->count == 2);
    CHECK(u, number_at(vocab, "_", DTYPE_F32, 1, ONE, 0) == 1);
    CHECK(u, scalar(vocab, "cat", DTYPE_F32) == 2);
    CHECK(u, stages->count == 1);
    CHECK(u, tensor_is_hole(number_at(stages, "scores", DTYPE_F64, 2, SCORES, 0)));
    double not_a_number = number_at(stages, "scores", DTYPE_F64, 2, SCORES, 1);
    CHECK(u, isnan(not_a_number) && !tensor_is_hole(not_a_number));
    CHECK(u, number_at(stages, "scores", DTYPE_F64, 2, SCORES, 2) == HUGE_VAL);
    CHECK(u, number_at(stages, "scores", DTYPE_F64, 2, SCORES, 3) == 0.1);
    const bundle *tol = bundle_find(b, "tol")->bundle, *errata = bundle_find(b, "errata")->bundle;
    CHECK(u, tol->count == 1 && scalar(tol, "scores", DTYPE_F64) == 1e-9);
    CHECK(u, errata->count == 2 && bundle_find(errata, "2")->bundle->count == 0);
    const bundle *erratum = bundle_find(errata, "1")->bundle;
    CHECK_TEXT(u, bundle_text(erratum, "stage"), "q");
    CHECK(u, scalar(erratum, "row", DTYPE_F64) == 0);
}

static void reads_document(unit *u)
{
    bundle b;
    err e;
    if (!CHECK(u, read_json(DOCUMENT, AS_DOCUMENT, &b, &e))) {
        printf("  %s\n", said(&e));
        return;
    }
    CHECK(u, b.count == 11);
    reads_matrices(u, &b);
    reads_objects(u, &b);
    CHECK(u, scalar(&b, "scale", DTYPE_F64) == 0.1);
    CHECK_TEXT(u, bundle_text(&b, "title"), "a é \"b\"");
    const text_list *tokens = &bundle_find(&b, "tokens")->list;
    CHECK(u, tokens->count == 2);
    CHECK_TEXT(u, tokens->item[0], "the");
    CHECK_TEXT(u, tokens->item[1], "😹");
    const entry *x = bundle_find(&b, "x"), *title = bundle_find(&b, "title");
    CHECK(u, x->at.line == 3 && x->at.column == 8 && strcmp(x->at.file, "f") == 0);
    CHECK(u, title->at.line == 8 && title->at.column == 26);
    bundle_free(&b);
}

static void reads_settings(unit *u)
{
    bundle b;
    err e;
    CHECK(u, read_json("{\"scale\": true, \"tol\": 0.5, \"dtype\": \"f16\"}", AS_DOCUMENT, &b, &e));
    CHECK_TEXT(u, bundle_text(&b, "scale"), "true");
    CHECK_TEXT(u, bundle_text(&b, "dtype"), "f16");
    CHECK(u, scalar(&b, "tol", DTYPE_F64) == 0.5);
    bundle_free(&b);
    CHECK(u,
          read_json("{\"scale\": \"head\", \"tokens\": [], \"errata\": []}", AS_DOCUMENT, &b, &e));
    CHECK_TEXT(u, bundle_text(&b, "scale"), "head");
    CHECK(u, bundle_find(&b, "tokens")->kind == ENTRY_LIST &&
                 bundle_find(&b, "tokens")->list.count == 0);
    CHECK(u, bundle_find(&b, "errata")->bundle->count == 0);
    bundle_free(&b);
}

/* 1 + 2⁻²⁴ and a little more: the nearest float32 is 1 + 2⁻²³, but by way of float64, which drops
 * the little, it is a tie and becomes 1. */
static void reads_straight_to_type(unit *u)
{
    static const struct {
        const char *json;
        bool fixed;
        dtype type;
        double value;
    } TYPES[] = {
        {"{\"x\": 1.00000005960464477539062500000000000000000001}", false, DTYPE_F32,
         1.00000011920928955078125},
        {"{\"x\": 0.1, \"dtype\": \"f64\"}", false, DTYPE_F64, 0.1},
        {"{\"\\u0064type\": \"f6\\u0034\", \"x\": 0.1}", false, DTYPE_F64, 0.1},
        {"{\"x\": 0.1, \"dtype\": \"f64\"}", true, DTYPE_F32, 0.1f},
        {"{\"x\": 0.1, \"dtype\": \"f641\"}", false, DTYPE_F32, 0.1f},
        {"{\"x\": 0.1, \"dtype\": 64}", false, DTYPE_F32, 0.1f},
        {"{\"x\": 3.4028235677e38}", false, DTYPE_F32, 3.4028234663852886e38},
    };
    bundle b;
    err e;
    for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++) {
        read_options how = AS_DOCUMENT;
        how.type_is_fixed = TYPES[i].fixed;
        CHECK(u, read_json(TYPES[i].json, how, &b, &e));
        CHECK(u, scalar(&b, "x", TYPES[i].type) == TYPES[i].value);
        bundle_free(&b);
    }
    read_options how = {.file = "f", .keys = &KEY_TABLE, .type = DTYPE_F64};
    CHECK(u, read_json("{\"x\": 0.1, \"dtype\": \"f32\"}", how, &b, &e));
    CHECK(u, scalar(&b, "x", DTYPE_F32) == (double)0.1f);
    bundle_free(&b);
}

static void allows_nonfinite(unit *u)
{
    static const size_t FIVE[] = {5};
    read_options how = AS_DOCUMENT;
    how.allow_nonfinite = true;
    bundle b;
    err e;
    CHECK(u, read_json(
                 "{\"x\": [\"NaN\", \"Infinity\", \"-Infinity\", \"iNf\", 1], \"bias\": \"inf\"}",
                 how, &b, &e));
    CHECK(u, isnan(number_at(&b, "x", DTYPE_F32, 1, FIVE, 0)) && bundle_tensor(&b, "x")->rank == 1);
    CHECK(u, number_at(&b, "x", DTYPE_F32, 1, FIVE, 1) == HUGE_VAL);
    CHECK(u, number_at(&b, "x", DTYPE_F32, 1, FIVE, 2) == -HUGE_VAL);
    CHECK(u, number_at(&b, "x", DTYPE_F32, 1, FIVE, 3) == HUGE_VAL);
    CHECK(u, scalar(&b, "bias", DTYPE_F32) == HUGE_VAL);
    bundle_free(&b);
}

static void reads_bare_matrix(unit *u)
{
    static const size_t SHAPE[] = {2, 1}, FIVE_AXES[] = {1, 1, 1, 1, 2};
    bundle b;
    err e;
    read_options how = {.file = "f", .kind = KEY_MATRIX, .type = DTYPE_F32, .first_line = 5};
    CHECK(u, read_json("\xef\xbb\xbf\n [[1], [2]]", how, &b, &e));
    CHECK(u, b.count == 1 && number_at(&b, "", DTYPE_F32, 2, SHAPE, 1) == 2);
    CHECK(u, b.entry[0].at.line == 6 && b.entry[0].at.column == 2);
    bundle_free(&b);
    CHECK(u, read_json("[[[[[1, 2]]]]]", AS_IT_IS, &b, &e));
    CHECK(u, number_at(&b, "", DTYPE_F64, 5, FIVE_AXES, 1) == 2);
    bundle_free(&b);
    how.kind = KEY_LIST;
    CHECK(u, read_json("[\"a\"]", how, &b, &e));
    CHECK(u, b.count == 1 && b.entry[0].kind == ENTRY_LIST);
    bundle_free(&b);
}

static void reads_any_names(unit *u)
{
    static const size_t TWO[] = {2}, ONE_TWO[] = {1, 2};
    static const char ANY[] =
        "{\"_a\": [1, null], \"b\": [[\"NaN\", \"inf\"]], \"c\": [true, false], \"d\": [\"NaN\", "
        "\"nan\"],"
        " \"e\": \"t\", \"f\": 5, \"g\": {\"h\": {\"i\": [false, true]}, \"j\": null}, \"k\": null,"
        " \"l\": [{\"m\": 1}], \"n\": true, \"o\": [\"inf\", 2], \"p\": {}}";
    bundle b;
    err e;
    if (!CHECK(u, read_json(ANY, AS_IT_IS, &b, &e))) {
        printf("  %s\n", said(&e));
        return;
    }
    CHECK(u, b.count == 11 && bundle_find(&b, "k") == NULL);
    CHECK(u, tensor_is_hole(number_at(&b, "_a", DTYPE_F64, 1, TWO, 1)));
    CHECK(u, number_at(&b, "b", DTYPE_F64, 2, ONE_TWO, 1) == HUGE_VAL);
    CHECK(u, number_at(&b, "c", DTYPE_BOOL, 1, TWO, 0) == 1);
    CHECK(u, bundle_find(&b, "d")->kind == ENTRY_LIST && bundle_find(&b, "d")->list.count == 2);
    CHECK_TEXT(u, bundle_text(&b, "e"), "t");
    CHECK(u, scalar(&b, "f", DTYPE_F64) == 5);
    const bundle *g = bundle_find(&b, "g")->bundle;
    CHECK(u,
          g->count == 1 && number_at(bundle_find(g, "h")->bundle, "i", DTYPE_BOOL, 1, TWO, 1) == 1);
    CHECK(u, scalar(bundle_find(bundle_find(&b, "l")->bundle, "1")->bundle, "m", DTYPE_F64) == 1);
    CHECK(u, scalar(&b, "n", DTYPE_BOOL) == 1);
    CHECK(u, number_at(&b, "o", DTYPE_F64, 1, TWO, 0) == HUGE_VAL);
    CHECK(u, bundle_find(&b, "p")->bundle->count == 0);
    bundle_free(&b);
}

static const struct {
    const char *json, *message;
} REFUSED[] = {
    {"[1, ", "f:1:5: expected a number, found the end of the text"},
    {"5", "f:1:1: expected a document, '{', or a matrix, '[', found '5'"},
    {" \"x\"", "f:1:2: expected a document, '{', or a matrix, '[', found \"x\""},
    /* keys */
    {"{\n \"wz\": [[1]]}", "f:2:2: unknown key \"wz\" | did you mean \"wq\"?"},
    {"{\"temperature\": 1}",
     "f:1:2: unknown key \"temperature\" | keys that begin with _ are skipped"},
    {"{\"x\": null}", "f:1:7: \"x\" is null; leave the key out, or give it a value"},
    {"{\"tol\": {\"q\": null}}", "f:1:15: \"q\" is null; leave the key out, or give it a value"},
    {"{\"vocab\": {\"a\\u0000b\": 1}}",
     "f:1:12: the string holds the character \\u0000, which no text or name may"},
    /* shapes */
    {"{\"x\": [[1, 2, 3],\n [4, 5, 6],\n [7, 8]]}", "f:3:2: row 3 has 2 numbers, row 1 has 3"},
    {"{\"x\": [[1, 2],\n [4]]}", "f:2:2: row 2 has 1 number, row 1 has 2"},
    {"{\"x\": [[1],\n [4, 5]]}", "f:2:2: row 2 has 2 numbers, row 1 has 1"},
    {"{\"x\": [[1], []]}", "f:1:13: row 2 has 0 numbers, row 1 has 1"},
    {"{\"x\": [[[1, 2], [3, 4]], [[5, 6], [7]]]}",
     "f:1:35: row 2 of matrix 2 has 1 number, row 1 of matrix 1 has 2"},
    {"{\"x\": [[[1, 2], [3, 4]], [[5, 6]]]}", "f:1:26: matrix 2 has 1 row, matrix 1 has 2"},
    {"{\"x\": [[[[1]]], [[[1]], [[2]]]]}", "f:1:17: block 2 has 2 matrices, block 1 has 1"},
    {"{\"x\": [[[[1]]], [[[1], [2]]]]}",
     "f:1:18: matrix 1 of block 2 has 2 rows, matrix 1 of block 1 has 1"},
    {"{\"mask\": [[true, true], [true]]}", "f:1:25: row 2 has 1 value, row 1 has 2"},
    {"{\"expected\": {\"q\": [[1, 2], [null]]}}", "f:1:29: row 2 has 1 number, row 1 has 2"},
    {"{\"x\": [[1, 2], 3]}", "f:1:16: expected a row as in the first place of the list, found '3'"},
    {"{\"x\": [1, [2]]}", "f:1:11: expected a number as in the first place of the list, found '['"},
    {"{\"mask\": [1, [2]]}",
     "f:1:14: expected a value as in the first place of the list, found '['"},
    {"{\"x\": []}", "f:1:7: the list is empty; a matrix has at least one number"},
    {"{\"x\": [[], [1]]}", "f:1:8: the list is empty; a matrix has at least one number"},
    {"{\"x\": [[[[[1]]]]]}", "f:1:11: the lists are nested deeper than the 4 axes that are read"},
    {"{\"expected\": {\"q\": [[[[[[1]]]]]]}}",
     "f:1:25: the lists are nested deeper than the 5 axes that are read"},
    /* elements */
    {"{\"x\": {\"a\": 1}}", "f:1:7: expected a matrix for \"x\", '[', found '{'"},
    {"{\"x\": [1, {}]}", "f:1:11: expected a number, found '{'"},
    {"{\"x\": [1, true]}", "f:1:11: expected a number, found 'true'"},
    {"{\"x\": [1, null]}", "f:1:11: expected a number, found 'null'"},
    {"{\"bias\": [null]}", "f:1:11: expected a number, found 'null'"},
    {"{\"x\": [1, \"a]\"]}", "f:1:11: expected a number, found \"a]\""},
    {"{\"x\": [1, \"-1.5\"]}",
     "f:1:11: expected a number, found \"-1.5\" | write the number without quotes"},
    {"{\"x\": [1, \"1.5 m\"]}", "f:1:11: expected a number, found \"1.5 m\""},
    {"{\"x\": [1, \"nan\"]}",
     "f:1:11: \"nan\" is not a finite number | --allow-nonfinite lets it through"},
    {"{\"x\": [1, \"-Infinity\"]}",
     "f:1:11: \"-Infinity\" is not a finite number | --allow-nonfinite lets it through"},
    {"{\"bias\": [\"-inf\", \"inf\"]}", "f:1:19: \"inf\" is not a finite number, nor is it "
                                        "\"-inf\" | --allow-nonfinite lets it through"},
    {"{\"bias\": [\"-inf\", \"-nan\"]}", "f:1:19: \"-nan\" is not a finite number, nor is it "
                                         "\"-inf\" | --allow-nonfinite lets it through"},
    {"{\"x\": [1,\n -3.5e38]}",
     "f:2:2: '-3.5e38' is too large for float32, whose largest number is 3.4028235e38 | "
     "dtype f64 holds it: --dtype f64, or \"dtype\": \"f64\" in the document"},
    {"{\"x\": [1e400]}",
     "f:1:8: '1e400' is too large for float32, whose largest number is 3.4028235e38"},
    {"{\"dtype\": \"f64\", \"x\": [1e400]}",
     "f:1:24: '1e400' is too large for float64, whose largest number is 1.7976931348623157e308"},
    {"{\"mask\": [true, 2]}", "f:1:17: expected true, false, 1 or 0, found '2' | numbers that are "
                              "added to scores are a \"bias\""},
    {"{\"mask\": [0.5]}", "f:1:11: expected true, false, 1 or 0, found '0.5' | numbers that are "
                          "added to scores are a \"bias\""},
    {"{\"mask\": [1e999]}", "f:1:11: expected true, false, 1 or 0, found '1e999' | numbers that "
                            "are added to scores are a \"bias\""},
    {"{\"mask\": [\"true\"]}", "f:1:11: expected true, false, 1 or 0, found \"true\""},
    {"{\"mask\": [null]}", "f:1:11: expected true, false, 1 or 0, found 'null'"},
    /* everything else */
    {"{\"scale\": [1]}", "f:1:11: expected a number, true, false or a word, found '['"},
    {"{\"scale\": {}}", "f:1:11: expected a number, true, false or a word, found '{'"},
    {"{\"scale\": -1e309}",
     "f:1:11: '-1e309' is too large for float64, whose largest number is 1.7976931348623157e308"},
    {"{\"scale\": \"a\\u0000\"}",
     "f:1:11: the string holds the character \\u0000, which no text or name may"},
    {"{\"title\": 1}", "f:1:11: expected a text in double quotes, found '1'"},
    {"{\"tokens\": \"a b\"}", "f:1:12: expected a list of texts, found \"a b\""},
    {"{\"tokens\": [\"a\", 1]}", "f:1:18: expected a text in double quotes, found '1'"},
    {"{\"tokens\": [\"a\", \"\\u0000\"]}",
     "f:1:18: the string holds the character \\u0000, which no text or name may"},
    {"{\"vocab\": [1]}", "f:1:11: expected an object, '{', found '['"},
    {"{\"vocab\": {\"cat\": null}}",
     "f:1:19: \"cat\" is null; leave the key out, or give it a value"},
    {"{\"expected\": 1}", "f:1:14: expected an object, '{', found '1'"},
    {"{\"expected\": {\"q\": \"none\"}}",
     "f:1:20: expected a matrix for \"q\", '[', found \"none\""},
    {"{\"tol\": \"1e-9\"}",
     "f:1:9: expected a number, found \"1e-9\" | write the number without quotes"},
    {"{\"tol\": {\"q\": {\"k\": 1}}}", "f:1:15: expected a number, found '{'"},
    {"{\"errata\": {}}", "f:1:12: expected a list of objects, found '{'"},
    {"{\"errata\": [{}, 1]}", "f:1:17: expected an object, '{', found '1'"},
    {"{\"errata\": [{\"row\": [1]}]}",
     "f:1:21: expected a number, true, false or a word, found '['"},
};

static void refuses(unit *u)
{
    bundle b;
    err e;
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        CHECK(u, !read_json(REFUSED[i].json, AS_DOCUMENT, &b, &e));
        CHECK_TEXT(u, said(&e), REFUSED[i].message);
        CHECK(u, b.count == 0 && b.entry == NULL);
    }
}

/* Lists of what can't be told apart from a matrix are refused as one. */
static void refuses_by_look(unit *u)
{
    static const struct {
        const char *json, *message;
    } LOOKS[] = {
        {"{\"a\": [\"x\", 1]}", "f:1:8: expected a number, found \"x\""},
        {"{\"a\": [[\"x\"]]}", "f:1:9: expected a number, found \"x\""},
        {"{\"a\": [[{}]]}", "f:1:9: expected a number, found '{'"},
        {"{\"a\": []}", "f:1:7: the list is empty; a matrix has at least one number"},
        {"{\"a\": [1, true]}", "f:1:11: expected a number, found 'true'"},
    };
    bundle b;
    err e;
    for (size_t i = 0; i < sizeof LOOKS / sizeof LOOKS[0]; i++) {
        CHECK(u, !read_json(LOOKS[i].json, AS_IT_IS, &b, &e));
        CHECK_TEXT(u, said(&e), LOOKS[i].message);
    }
}

static void limits_labels(unit *u)
{
    text t = {0};
    bundle b;
    err e;
    text_add_string(&t, "{\"tokens\": [\"");
    text_add_repeated(&t, "a", 4094);
    text_add_string(&t, "\\u00e9\"]}"); /* two bytes more */
    CHECK(u, read_json(t.data, AS_DOCUMENT, &b, &e));
    CHECK(u, strlen(bundle_find(&b, "tokens")->list.item[0]) == 4096);
    bundle_free(&b);
    text_clear(&t);
    text_add_string(&t, "{\"tokens\": [\"");
    text_add_repeated(&t, "a", 4097);
    text_add_string(&t, "\"]}");
    CHECK(u, !read_json(t.data, AS_DOCUMENT, &b, &e));
    CHECK_TEXT(u, said(&e), "f:1:13: a label of 4097 bytes; at most 4096 are read");
    text_clear(&t);
    text_add_string(&t, "{\"title\": \"");
    text_add_repeated(&t, "a", 10000);
    text_add_string(&t, "\"}");
    CHECK(u, read_json(t.data, AS_DOCUMENT, &b, &e));
    CHECK(u, strlen(bundle_text(&b, "title")) == 10000);
    bundle_free(&b);
    text_free(&t);
}

/* Many words on one line: their places must not be counted from the start of the line each time. */
static void reads_large_vocabulary(unit *u)
{
    text t = {0};
    bundle b;
    err e;
    text_add_string(&t, "{\"vocab\": {");
    for (int i = 0; i < 50000; i++)
        text_add_format(&t, "%s\"w%05d\":[%d,1]", i == 0 ? "" : ",", i, i);
    text_add_string(&t, "}}");
    CHECK(u, read_json(t.data, AS_DOCUMENT, &b, &e));
    const bundle *vocab = bundle_find(&b, "vocab")->bundle;
    static const size_t TWO[] = {2};
    CHECK(u, vocab->count == 50000);
    CHECK(u, number_at(vocab, "w49999", DTYPE_F32, 1, TWO, 0) == 49999);
    /* {"vocab": { is 11 bytes, "w00000":[0,1], is 15, and "w00001": is 9. */
    CHECK(u, bundle_find(vocab, "w00001")->at.column == 11 + 15 + 9 + 1);
    bundle_free(&b);
    text_free(&t);
}

static void probes(unit *u)
{
    static const char *const YES[] = {"{", "  \n[1]", "\xef\xbb\xbf{}", "[["}, *const NO[] = {
                                                                                   "", "  ", "1,2",
                                                                                   "\x93NUMPY",
                                                                                   "\"a\""};
    for (size_t i = 0; i < sizeof YES / sizeof YES[0]; i++)
        CHECK(u, json_probe(YES[i], strlen(YES[i])));
    for (size_t i = 0; i < sizeof NO / sizeof NO[0]; i++)
        CHECK(u, !json_probe(NO[i], strlen(NO[i])));
}

static void passes_over_the_unknown(unit *u)
{
    read_options how = AS_DOCUMENT;
    bundle b = {0};
    err e = {0};
    how.skips_unknown = true;
    CHECK(u, read_json("{\"other\": null, \"more\": [[1, \"x\"]], \"wq\": [[1]]}", how, &b, &e));
    CHECK(u, b.count == 1 && bundle_tensor(&b, "wq") != NULL);
    bundle_free(&b);
}

UNIT(json_read)
{
    reads_document(u);
    reads_settings(u);
    reads_straight_to_type(u);
    allows_nonfinite(u);
    reads_bare_matrix(u);
    reads_any_names(u);
    refuses(u);
    refuses_by_look(u);
    limits_labels(u);
    reads_large_vocabulary(u);
    probes(u);
    passes_over_the_unknown(u);
}
