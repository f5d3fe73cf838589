/* safetensors: what a header may say, each of its rules broken in turn, files cut off at every
 * byte, tensors used in place, and what is written, byte for byte. */

#include "base/mem.h"
#include "filled.h"
#include "io/format.h"
#include "listed.h"
#include "said.h"
#include "unit.h"

#include <string.h>

static const read_options F32 = {.file = "f", .type = DTYPE_F32};

/* ---- files ---- */

enum { LENGTH_BYTES = 8, MOST_BYTES = 1024 };

typedef struct sample {
    const char *header, *data;
    size_t bytes; /* of data */
} sample;

#define DATA(literal) (literal), sizeof(literal) - 1

/* The file: its length. A header's length is below 65,536 here. */
static size_t file_of(const sample *s, char out[MOST_BYTES])
{
    size_t header = strlen(s->header);
    memset(out, 0, LENGTH_BYTES);
    out[0] = (char)(header & 255);
    out[1] = (char)(header >> 8);
    memcpy(out + LENGTH_BYTES, s->header, header);
    memcpy(out + LENGTH_BYTES + header, s->data, s->bytes);
    return LENGTH_BYTES + header + s->bytes;
}

static bool read_sample(const sample *s, const read_options *how, bundle *to, err *e)
{
    char file[MOST_BYTES];
    return safetensors_read(file, file_of(s, file), how, to, e);
}

/* What is read, or what is said. */
static void check_read(unit *u, const sample *s, const read_options *how, const char *wanted)
{
    text shown = {0};
    bundle b = {0};
    err e = {0};
    bool done = read_sample(s, how, &b, &e);
    CHECK_TEXT(u, done ? listed(&b, &shown) : said(&e), wanted);
    CHECK(u, done || b.entry == NULL);
    bundle_free(&b);
    text_free(&shown);
}

/* ---- what is read ---- */

#define T(dtype, shape, begin, end)                                                                \
    "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" #begin "," #end "]}"

/* The bit patterns are IEEE 754's and bfloat16's, by hand. */
static const struct {
    sample file;
    const char *wanted;
} READ[] = {
    {{"{}", DATA("")}, ""},
    {{"{}   ", DATA("")}, ""},
    {{"{\"__metadata__\":{}}", DATA("")}, ""},
    {{"{\"a\":" T("F32", "[2]", 0, 8) "}", DATA("\0\0\x80\x3f\0\0\0\xc0")},
     "a - f32 2 long: 1 -2; "},
    {{"{\"a\":" T("F64", "[1,2]", 0, 16) "}", DATA("\0\0\0\0\0\0\xf8\x3f\0\0\0\0\0\0\0\x80")},
     "a - f32 1 x 2: 1.5 -0; "},
    {{"{\"a\":" T("F16", "[2,1]", 0, 4) "}", DATA("\0\x3c\xff\x7b")}, "a - f32 2 x 1: 1 65504; "},
    {{"{\"a\":" T("BF16", "[1,1,2]", 0, 4) "}", DATA("\x80\x3f\x40\xc0")},
     "a - f32 1 x 1 x 2: 1 -3; "},
    {{"{\"a\":" T("I8", "[2]", 0, 2) ",\"b\":" T("U8", "[2]", 2, 4) "}", DATA("\xff\x7f\xff\x01")},
     "a - f32 2 long: -1 127; b - f32 2 long: 255 1; "},
    {{"{\"a\":" T("I16", "[1]", 0, 2) ",\"b\":" T("U16", "[1]", 2, 4) "}",
      DATA("\xfe\xff\xfe\xff")},
     "a - f32 1 long: -2; b - f32 1 long: 65534; "},
    {{"{\"a\":" T("I32", "[1]", 0, 4) ",\"b\":" T("U32", "[1]", 4, 8) "}",
      DATA("\0\0\0\x80\0\0\0\x80")},
     "a - f32 1 long: -2.14748365e+09; b - f32 1 long: 2.14748365e+09; "},
    {{"{\"a\":" T("I64", "[1]", 0, 8) ",\"b\":" T("U64", "[1]", 8, 16) "}",
      DATA("\xfd\xff\xff\xff\xff\xff\xff\xff\x07\0\0\0\0\0\0\0")},
     "a - f32 1 long: -3; b - f32 1 long: 7; "},
    {{"{\"a\":" T("BOOL", "[2,2]", 0, 4) "}", DATA("\x01\0\0\x01")}, "a - bool 2 x 2: 1 0 0 1; "},
    {{"{\"a\":" T("F32", "[]", 0, 4) "}", DATA("\0\0\0\x40")}, "a - f32 a number: 2; "},
    /* the data in another order than the header */
    {{"{\"b\":" T("U8", "[2]", 1, 3) ",\"a\":" T("U8", "[1]", 0, 1) "}", DATA("\x01\x02\x03")},
     "b - f32 2 long: 2 3; a - f32 1 long: 1; "},
    /* spaces, members in another order, escapes in names and types */
    {{"{ \"\\u0061\" : { \"shape\" : [ 1 ] , \"data_offsets\" : [ 0 , 1 ] ,\n"
      "\"dtype\" : \"\\u00558\" } } \n",
      DATA("\x05")},
     "a - f32 1 long: 5; "},
    {{"{\"__metadata__\":{\"format\":\"pt\",\"name\":\"w\"},\"a\":" T("U8", "[1]", 0, 1) "}",
      DATA("\x05")},
     "a - f32 1 long: 5; name ; "},
};

static void is_read(unit *u)
{
    for (size_t i = 0; i < sizeof READ / sizeof READ[0]; i++)
        check_read(u, &READ[i].file, &F32, READ[i].wanted);
    err e = {0};
    bundle b = {0};
    CHECK(u, read_sample(&READ[sizeof READ / sizeof READ[0] - 1].file, &F32, &b, &e));
    CHECK_TEXT(u, bundle_text(&b, "name"), "w");
    const entry *a = bundle_find(&b, "a");
    char where[PLACE_TEXT];
    CHECK_TEXT(u, place_text(&a->at, where), "f: byte 55"); /* 8 and 47 of the header before */
    CHECK_TEXT(u, a->stored, "U8");
    bundle_free(&b);
}

/* ---- what is refused ---- */

static const struct {
    sample file;
    const char *wanted;
} REFUSED[] = {
    {{"", DATA("")}, "f: byte 8: expected '{', which begins the header, found the end of the text"},
    {{" {}", DATA("")}, "f: byte 8: expected '{', which begins the header, found ' '"},
    {{"[]", DATA("")}, "f: byte 8: expected '{', which begins the header, found '['"},
    {{"{}\t{", DATA("")},
     "f: byte 11: expected the end of the text, found '{' | one document a line is read with "
     "--input-format jsonl"},
    {{"{\"a\":" T("U8", "[1]", 0, 1) ",\"\\u0061\":" T("U8", "[1]", 1, 2) "}", DATA("12")},
     "f: byte 61: key \"\\u0061\" is given twice, first at byte 9"},
    {{"{\"a\":[]}", DATA("")}, "f: byte 13: expected a tensor, '{', found '['"},
    {{"{\"a\":{\"dtype\":\"U8\",\"shape\":[1]}}", DATA("1")},
     "f: byte 13: the tensor \"a\" has no data_offsets"},
    {{"{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,1]}}", DATA("1")},
     "f: byte 13: the tensor \"a\" has no shape"},
    {{"{\"a\":{\"offsets\":[0,1]}}", DATA("1")},
     "f: byte 14: expected dtype, shape or data_offsets, found \"offsets\""},
    {{"{\"a\":{\"dtype\":8,\"shape\":[1],\"data_offsets\":[0,1]}}", DATA("1")},
     "f: byte 22: expected a type in double quotes, found '8'"},
    {{"{\"a\":" T("F8_E4M3", "[1]", 0, 1) "}", DATA("1")},
     "f: byte 22: elements of type \"F8_E4M3\" are not read (a) | F64, F32, F16, "
     "BF16, I8 to "
     "I64, U8 to U64 and BOOL are"},
    {{"{\"a\":" T("U8", "1", 0, 1) "}", DATA("1")},
     "f: byte 35: expected a list of sizes, found '1'"},
    {{"{\"a\":" T("U8", "[1]", 0, 1.5) "}", DATA("1")},
     "f: byte 57: expected a whole number, found '1.5'"},
    {{"{\"a\":" T("U8", "[1]", -1, 1) "}", DATA("1")},
     "f: byte 55: expected a whole number, found '-1'"},
    {{"{\"a\":" T("U8", "[1.0]", 0, 1) "}", DATA("1")},
     "f: byte 36: expected a whole number, found '1.0'"},
    {{"{\"a\":" T("U8", "[-1]", 0, 1) "}", DATA("1")},
     "f: byte 36: expected a whole number, found '-1'"},
    {{"{\"a\":" T("U8", "[\"1\"]", 0, 1) "}", DATA("1")},
     "f: byte 36: expected a whole number, found \"1\""},
    {{"{\"a\":" T("U8", "[18446744073709551616]", 0, 1) "}", DATA("1")},
     "f: byte 36: '18446744073709551616' is more than an address can hold"},
    {{"{\"a\":" T("U8", "[4294967296,4294967296]", 0, 1) "}", DATA("1")},
     "f: byte 35: the product of these sizes is more than an address can hold"},
    {{"{\"a\":" T("F64", "[4611686018427387904]", 0, 1) "}", DATA("1")},
     "f: byte 13: 4611686018427387904 elements of type F64 are more than an address can hold"},
    {{"{\"a\":" T("U16", "[2,3]", 0, 8) "}", DATA("12345678")},
     "f: byte 13: 6 elements of type U16 are 12 bytes, and the offsets hold 8"},
    {{"{\"a\":" T("U8", "[1]", 1, 0) "}", DATA("1")},
     "f: byte 54: the data begin at 1 and end before, at 0"},
    {{"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0]}}", DATA("1")},
     "f: byte 54: expected two offsets, [begin, end], found '['"},
    {{"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1,1]}}", DATA("1")},
     "f: byte 54: expected two offsets, [begin, end], found '['"},
    {{"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":{}}}", DATA("1")},
     "f: byte 54: expected two offsets, [begin, end], found '{'"},
    {{"{\"a\":" T("U8", "[2]", 0, 2) "}", DATA("1")},
     "f: byte 54: the data end at 2, and the file has 1 byte of data | the file is cut off, or "
     "its header is wrong"},
    /* holes before, between and after, and overlaps */
    {{"{\"a\":" T("U8", "[1]", 1, 2) "}", DATA("12")},
     "f: byte 61: 1 byte of data from here on belongs to no tensor"},
    {{"{\"b\":" T("U8", "[1]", 3, 4) ",\"a\":" T("U8", "[1]", 0, 1) "}", DATA("1234")},
     "f: byte 114: 2 bytes of data from here on belong to no tensor"},
    {{"{\"a\":" T("U8", "[1]", 0, 1) "}", DATA("1234")},
     "f: byte 62: 3 bytes of data from here on belong to no tensor"},
    {{"{\"b\":" T("U8", "[2]", 1, 3) ",\"a\":" T("U8", "[2]", 0, 2) "}", DATA("123")},
     "f: byte 13: the data of \"b\" begin at 1, inside those of \"a\", which end at 2"},
    {{"{\"a\":" T("U8", "[1]", 0, 1) ",\"b\":" T("U8", "[1]", 0, 1) "}", DATA("1")},
     "f: byte 65: the data of \"b\" begin at 0, inside those of \"a\", which end at 1"},
    {{"{\"__metadata__\":[]}", DATA("")}, "f: byte 24: expected an object of texts, found '['"},
    {{"{\"__metadata__\":{\"a\":1}}", DATA("")},
     "f: byte 29: expected a text in double quotes, found '1'"},
    /* what is well-formed, but no matrix here */
    {{"{\"a\":" T("U8", "[1,1,1,1,1,1]", 0, 1) "}", DATA("1")},
     "f: byte 35: the matrix has 6 axes, and at most 4 are read (a)"},
    {{"{\"a\":" T("U8", "[2,0]", 0, 0) "}", DATA("")},
     "f: byte 63: the matrix is 2 x 0; a matrix has at least one number"},
    {{"{\"a\":" T("F32", "[2]", 0, 8) "}", DATA("\0\0\0\0\0\0\xc0\x7f")},
     "f: byte 66: nan in column 2 is not a finite number | --allow-nonfinite lets it through"},
};

static void is_refused(unit *u)
{
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++)
        check_read(u, &REFUSED[i].file, &F32, REFUSED[i].wanted);
}

static void check_bytes(unit *u, const char *bytes, size_t length, const char *wanted)
{
    bundle b = {0};
    err e = {0};
    CHECK(u, !safetensors_read(bytes, length, &F32, &b, &e));
    CHECK_TEXT(u, said(&e), wanted);
}

static void refuses_lengths(unit *u)
{
    check_bytes(u, "", 0,
                "f: byte 0: the file ends here, and the length of the header takes 8 bytes");
    check_bytes(u, "\x02\0\0\0\0\0\0", 7,
                "f: byte 7: the file ends here, and the length of the header takes 8 bytes");
    check_bytes(u, "\x02\0\0\0\0\0\0\0{", 9,
                "f: byte 0: the header has 2 bytes, and the file ends after 1 of them");
    check_bytes(u, "\x01\xe1\xf5\x05\0\0\0\0{}", 10,
                "f: byte 0: the header has 100000001 bytes, and safetensors allows 100000000");
    check_bytes(u, "\xff\xff\xff\xff\xff\xff\xff\xff{}", 10,
                "f: byte 0: the header has 18446744073709551615 bytes, and safetensors allows "
                "100000000");
    CHECK(u, safetensors_probe("\x02\0\0\0\0\0\0\0{}", 10));
    CHECK(u, safetensors_probe("\0\xe1\xf5\x05\0\0\0\0{", 9));
    CHECK(u, !safetensors_probe("\x01\xe1\xf5\x05\0\0\0\0{", 9));
    CHECK(u, !safetensors_probe("\x02\0\0\0\0\0\0\0[", 9));
    CHECK(u, !safetensors_probe("\x02\0\0\0\0\0\0\0", 8));
}

/* Cut off at any byte, a file is refused, with the place. */
static void is_cut_off(unit *u)
{
    for (size_t i = 0; i < sizeof READ / sizeof READ[0]; i++) {
        char file[MOST_BYTES];
        size_t length = file_of(&READ[i].file, file), clean = 0;
        for (size_t cut = 0; cut < length; cut++) {
            bundle b = {0};
            err e = {0};
            char *exact = mem_alloc(cut, 1, &e);
            memcpy(exact, file, cut);
            bool done = safetensors_read(exact, cut, &F32, &b, &e);
            clean += !done && b.entry == NULL && strncmp(e.where, "f: byte ", 8) == 0;
            mem_free(exact);
        }
        CHECK(u, clean == length);
    }
}

/* ---- only what is asked for ---- */

static void reads_what_is_asked_for(unit *u)
{
    static const key rows[] = {{{"wq", ""}, KEY_MATRIX},
                               {{"mask", ""}, KEY_MASK},
                               {{"heads", ""}, KEY_SETTING},
                               {{"tokens", ""}, KEY_LIST}};
    static const named_table keys = NAMED_TABLE("key", rows);
    static const read_options strict = {.file = "f", .type = DTYPE_F64, .keys = &keys};
    read_options loose = strict;
    loose.skips_unknown = true;
    check_read(u,
               &(sample){"{\"wq\":" T("U8", "[1]", 0, 1) ",\"mask\":" T(
                             "U8", "[2]", 1, 3) ",\"heads\":" T("I8", "[]", 3, 4) "}",
                         DATA("\x03\x01\0\x02")},
               &strict, "wq - f64 1 long: 3; mask - bool 2 long: 1 0; heads - f64 a number: 2; ");
    check_read(u, &(sample){"{\"wk\":" T("U8", "[1]", 0, 1) "}", DATA("1")}, &strict,
               "f: byte 14: unknown key 'wk' | did you mean 'wq'?");
    check_read(u, &(sample){"{\"tokens\":" T("U8", "[1]", 0, 1) "}", DATA("1")}, &strict,
               "f: byte 18: 'tokens' is not a matrix, and safetensors holds nothing else");
    /* metadata in which nothing but the name is, which stands where names do */
    read_options all = F32;
    all.keeps_all = true;
    check_read(u,
               &(sample){"{\"__metadata__\":{\"name\":\"w\"},\"a\":" T("U8", "[1]", 0, 1) "}",
                         DATA("\x05")},
               &all, "a - f32 1 long: 5; name ; ");
    /* what nobody asks for may be of any type and shape, or not finite */
    check_read(
        u,
        &(sample){"{\"a\":" T("F8_E5M2", "[7]", 0, 1) ",\"b\":" T(
                      "U8", "[1,1,1,1,1,1]", 1,
                      2) ",\"c\":" T("F32", "[1]", 2,
                                     6) ",\"wq\":" T("U8", "[1]", 6,
                                                     7) ",\"d\":" T("F32",
                                                                    "[0,4611686018427387904,16]", 7,
                                                                    7) "}",
                  DATA("xx\0\0\xc0\x7f\x09")},
        &loose, "wq - f64 1 long: 9; ");
}

/* ---- in place ---- */

static void is_used_in_place(unit *u)
{
    static const sample aligned = {
        "{\"a\":" T("F32", "[2]", 0, 8) ",\"b\":" T("F32", "[1]", 8,
                                                    12) ",\"c\":" T("F64", "[1]", 12, 20) "}     ",
        DATA("\0\0\x80\x3f\0\0\0\x40\0\0\0\0\0\0\0\0\0\0\xf0\x3f")};
    err e = {0};
    bundle b = {0};
    char *file = mem_alloc(MOST_BYTES, 1, &e);
    size_t length = file_of(&aligned, file);
    CHECK(u, (length - aligned.bytes) % 8 == 0);
    mapping map = {.users = 1, .bytes = file, .length = length};
    read_options how = F32;
    how.map = &map;
    CHECK(u, safetensors_read(file, length, &how, &b, &e));
    CHECK(u, bundle_tensor(&b, "a")->data == file + length - aligned.bytes);
    CHECK(u, bundle_tensor(&b, "a")->file == &map && !bundle_tensor(&b, "a")->owns);
    CHECK(u, bundle_tensor(&b, "b")->file == &map && bundle_tensor(&b, "c")->owns);
    CHECK(u, map.users == 3);
    bundle_free(&b);
    CHECK(u, map.users == 1);
    mem_free(file);
}

/* ---- writing ---- */

static void check_written(unit *u, const bundle *b, const write_options *how, const sample *wanted)
{
    err e = {0};
    sink out;
    char file[MOST_BYTES];
    size_t length = file_of(wanted, file);
    sink_open_memory(&out);
    CHECK(u, safetensors_write(b, how, &out, &e));
    CHECK_TEXT(u, said(&e), "");
    const text *got = sink_text(&out);
    CHECK(u, got->length == length && memcmp(got->data, file, length) == 0);
    sink_discard(&out);
}

static void is_written(unit *u)
{
    static const write_options plain = {.digits = -1};
    bundle b = {0};
    check_written(u, &b, &plain, &(sample){"{}      ", DATA("")});
    bundle_add_filled(&b, "m", DTYPE_BOOL, 1, (size_t[]){3}, (double[]){1, 0, 1});
    bundle_add_filled(&b, "w", DTYPE_F32, 2, (size_t[]){1, 2}, (double[]){1, -2});
    bundle_add_filled(&b, "d\n", DTYPE_F64, 0, NULL, (double[]){1.5});
    /* the largest elements first; NaN is one NaN */
    uint32_t other_nan = 0xffc12345u;
    memcpy((char *)bundle_tensor(&b, "w")->data + 4, &other_nan, 4);
    check_written(u, &b, &plain,
                  &(sample){"{\"m\":" T("BOOL", "[3]", 16, 19) ",\"w\":" T(
                                "F32", "[1,2]", 8, 16) ",\"d\\n\":" T("F64", "[]", 0, 8) "} ",
                            DATA("\0\0\0\0\0\0\xf8\x3f\0\0\x80\x3f\0\0\xc0\x7f\x01\0\x01")});
    bundle_free(&b);
}

/* Of any strides, in C order; what made it, and whose it is, in __metadata__. */
static void are_views_and_remarks_written(unit *u)
{
    err e = {0};
    bundle b = {0}, view = {0};
    text_list made_by = {0};
    bundle_add_filled(&b, "w", DTYPE_F32, 2, (size_t[]){2, 3}, (double[]){1, 2, 3, 4, 5, 6});
    tensor transposed = tensor_transposed(bundle_tensor(&b, "w"));
    tensor part = tensor_range(&transposed, 0, 1, 2);
    bundle_add_tensor(&view, "w", &part, (place){0}, &e);
    text_list_add(&made_by, "one", 3, &e);
    text_list_add(&made_by, "\"two\"", 5, &e);
    check_written(u, &view, &(write_options){.digits = 0, .name = "a/b", .header = &made_by},
                  &(sample){"{\"__metadata__\":{\"name\":\"a/b\",\"header\":\"one\\n\\\"two\\\"\"},"
                            "\"w\":" T("F32", "[2,2]", 0, 16) "} ",
                            DATA("\0\0\0\x40\0\0\xa0\x40\0\0\x40\x40\0\0\xc0\x40")});
    text_list_free(&made_by);
    bundle_free(&view);
    bundle_free(&b);
}

static void check_not_written(unit *u, const bundle *b, const char *wanted)
{
    err e = {0};
    sink out;
    sink_open_memory(&out);
    CHECK(u, !safetensors_write(b, &(write_options){.digits = -1}, &out, &e));
    CHECK_TEXT(u, said(&e), wanted);
    CHECK(u, sink_text(&out)->length == 0);
    sink_discard(&out);
}

static void says_what_is_not_written(unit *u)
{
    err e = {0};
    bundle b = {0};
    bundle_add_filled(&b, "__metadata__", DTYPE_F32, 0, NULL, (double[]){1});
    check_not_written(u, &b, "'__metadata__' can't be the name of a matrix in safetensors");
    bundle_free(&b);
    bundle_add_filled(&b, "", DTYPE_F32, 0, NULL, (double[]){1});
    bundle_add_filled(&b, "matrix", DTYPE_F32, 0, NULL, (double[]){1});
    check_not_written(u, &b,
                      "the matrix without a name would be 'matrix', and there is one of "
                      "that name");
    bundle_free(&b);
    bundle_add_text(&b, "title", "n", 1, (place){0}, &e);
    check_not_written(u, &b,
                      "'title' can't be written as safetensors, which holds matrices only | "
                      "JSON holds everything");
    bundle_free(&b);
}

/* Blocks of many elements, and what is written read back. */
static void comes_back(unit *u)
{
    enum { ROWS = 3, COLUMNS = 5000 };
    err e = {0};
    bundle b = {0}, back = {0};
    tensor t;
    sink out;
    uint64_t state = 1;
    tensor_new(&t, DTYPE_F32, 2, (size_t[]){ROWS, COLUMNS}, &e);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        ((float *)t.data)[i] = (float)(unit_random(&state) % 1000) / 7;
    bundle_add_tensor(&b, "w", &t, (place){0}, &e);
    sink_open_memory(&out);
    CHECK(u, safetensors_write(&b, &(write_options){.digits = -1}, &out, &e));
    CHECK(u, safetensors_read(sink_text(&out)->data, sink_text(&out)->length, &F32, &back, &e));
    const tensor *w = bundle_tensor(&b, "w"), *again = bundle_tensor(&back, "w");
    CHECK(u, again != NULL && tensor_same_shape(w, again) &&
                 memcmp(w->data, again->data, sizeof(float) * ROWS * COLUMNS) == 0);
    sink_discard(&out);
    bundle_free(&back);
    bundle_free(&b);
}

UNIT(safetensors)
{
    is_read(u);
    is_refused(u);
    refuses_lengths(u);
    is_cut_off(u);
    reads_what_is_asked_for(u);
    is_used_in_place(u);
    is_written(u);
    are_views_and_remarks_written(u);
    says_what_is_not_written(u);
    comes_back(u);
}
