/* NPY: files that NumPy made (testdata/npy/make.py), headers by hand, and every way to cut one
 * short. */
#include "io/format.h"

#include "base/mem.h"
#include "io/source.h"
#include "listed.h"
#include "unit.h"
#include "written.h"

#include <stdlib.h>
#include <string.h>

static const read_options F32 = {.file = "f", .kind = KEY_MATRIX, .type = DTYPE_F32};
static const read_options F64 = {.file = "f", .kind = KEY_MATRIX, .type = DTYPE_F64};
static const read_options MASK = {.file = "f", .kind = KEY_MASK};

#define M "2 x 3: 0 1.5 -2 3 4 5.25; "

static const struct {
    const char *file;
    const read_options *how;
    const char *wanted;
} FILES[] = {
    {"little-f4", &F32, "- f32 " M},
    {"little-f4", &F64, "- f64 " M},
    {"little-f8", &F32, "- f32 " M},
    {"little-f8", &F64, "- f64 " M},
    {"little-f2", &F32, "- f32 " M},
    {"big-f4", &F32, "- f32 " M},
    {"big-f8", &F64, "- f64 " M},
    {"big-f2", &F64, "- f64 " M},
    {"fortran", &F32, "- f32 " M},
    {"version-2", &F32, "- f32 " M},
    {"version-3", &F32, "- f32 " M},
    {"i8", &F32, "- f32 1 x 3: 1 -2 3; "},
    {"i4", &F32, "- f32 1 x 3: 1 -2 3; "},
    {"i2", &F32, "- f32 1 x 3: 1 -2 3; "},
    {"big-i2", &F32, "- f32 1 x 3: 1 -2 3; "},
    {"i1", &F32, "- f32 1 x 3: 1 -2 3; "},
    {"u8", &F32, "- f32 1 x 3: 1 2 200; "},
    {"u4", &F32, "- f32 1 x 3: 1 2 200; "},
    {"u2", &F32, "- f32 1 x 3: 1 2 200; "},
    {"u1", &F32, "- f32 1 x 3: 1 2 200; "},
    {"b1", &MASK, "- bool 1 x 3: 1 0 1; "},
    {"rank-0", &F32, "- f32 a number: 0; "},
    {"rank-1", &F32, "- f32 2 long: 0 1; "},
    {"rank-2", &F32, "- f32 2 x 2: 0 1 2 3; "},
    {"rank-3", &F32, "- f32 2 x 2 x 2: 0 1 2 3 4 5 6 7; "},
    {"rank-4", &F32, "- f32 2 x 2 x 2 x 2: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; "},
    {"b1", &F32, "f: byte 128: the elements are true and false, where numbers are wanted"},
    {"objects", &F32,
     "f: byte 21: the elements are Python objects (a pickle) ('|O'), which are not read | "
     "numpy.save(FILE, a.astype('float32')) stores numbers"},
    {"complex", &F32,
     "f: byte 21: the elements are complex numbers ('<c16'), which are not read | "
     "save a.real and a.imag, each in a file of its own"},
    {"words", &F32,
     "f: byte 21: the elements are texts ('<U3'), which are not read | "
     "words go into JSON, or --tokens"},
    {"records", &F32,
     "f: byte 20: the elements are records of several fields, which are not read | "
     "save each field in a file of its own: numpy.save(FILE, a['field'])"},
    {"empty", &F32, "f: byte 10: the matrix is 0 x 3; a matrix has at least one number"},
};

static bool open_sample(unit *u, source *s, const char *name)
{
    char file[64];
    err e = {0};
    snprintf(file, sizeof file, "testdata/npy/%s.npy", name);
    return CHECK(u, source_open(s, file, SIZE_MAX, &e));
}

static void test_files(unit *u)
{
    text out = {0};
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        source s;
        if (!open_sample(u, &s, FILES[i].file))
            continue;
        CHECK(u, npy_probe(s.bytes, s.length));
        CHECK_TEXT(u, listed_by(npy_read, s.bytes, s.length, FILES[i].how, &out), FILES[i].wanted);
        source_close(&s);
    }
    text_free(&out);
}

/* The type as the file names it. */
static void test_stored(unit *u)
{
    static const char *const NAMES[][2] = {
        {"big-f4", ">f4"}, {"little-f2", "<f2"}, {"u1", "|u1"}, {"i8", "<i8"}};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        source s;
        bundle b = {0};
        err e = {0};
        if (!open_sample(u, &s, NAMES[i][0]))
            continue;
        CHECK(u, npy_read(s.bytes, s.length, &F32, &b, &e));
        CHECK_TEXT(u, b.entry[0].stored, NAMES[i][1]);
        CHECK(u, b.entry[0].at.has_byte && b.entry[0].at.byte == 128);
        bundle_free(&b);
        source_close(&s);
    }
}

/* Cut at any byte it is an error with a place in the file. */
static void test_cut(unit *u)
{
    static const char *const NAMES[] = {"little-f8", "version-2", "rank-0", "b1", "fortran"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        source s;
        size_t wrong = 0;
        if (!open_sample(u, &s, NAMES[i]))
            continue;
        for (size_t length = 0; length < s.length; length++) {
            err e = {0};
            bundle b = {0};
            char *cut = mem_alloc(length, 1, &e); /* after which asan would see a read */
            memcpy(cut, s.bytes, length);
            bool done = npy_read(cut, length, &MASK, &b, &e);
            wrong += done || b.count > 0 || strncmp(e.where, "f: byte ", 8) != 0;
            mem_free(cut);
        }
        CHECK(u, wrong == 0);
        source_close(&s);
    }
}

/* ---- headers by hand ---- */

#define GOOD "'descr': '<f4', 'fortran_order': False, 'shape': (1,)"
#define SHAPED(shape) "{'descr': '<f4', 'fortran_order': False, 'shape': " shape "}"
#define TYPED(descr) "{'descr': " descr ", 'fortran_order': False, 'shape': (1,)}"

static const struct {
    const char *literal, *wanted;
} HEADERS[] = {
    {"{" GOOD "}", "- f32 1 long: 2; "},
    {"{" GOOD ", }   \n", "- f32 1 long: 2; "},
    {" { \"shape\" :( 1 , ) ,\n'fortran_order':True,'descr':'=f4'}", "- f32 1 long: 2; "},
    {SHAPED("(1L, 1L)"), "- f32 1 x 1: 2; "},
    {SHAPED("()"), "- f32 a number: 2; "},
    {TYPED("'<b4'"), "f: byte 21: unknown element type '<b4' | "
                     "numpy.save(FILE, a.astype('float32')) stores one that is read"},
    {TYPED("'|f4'"), "f: byte 21: unknown element type '|f4' | "
                     "numpy.save(FILE, a.astype('float32')) stores one that is read"},
    {TYPED("'f4'"), "f: byte 21: unknown element type 'f4' | "
                    "numpy.save(FILE, a.astype('float32')) stores one that is read"},
    {TYPED("''"), "f: byte 21: unknown element type '' | "
                  "numpy.save(FILE, a.astype('float32')) stores one that is read"},
    {TYPED("'|S4'"), "f: byte 21: the elements are texts ('|S4'), which are not read | "
                     "words go into JSON, or --tokens"},
    {TYPED("'|V2'"), "f: byte 21: the elements are raw bytes ('|V2'), which are not read | "
                     "numpy.save(FILE, a.astype('float32')) stores numbers"},
    {TYPED("'<M8[D]'"), "f: byte 21: the elements are dates ('<M8[D]'), which are not read | "
                        "numpy.save(FILE, a.astype('float64')) stores numbers"},
    {TYPED("'<m8[s]'"), "f: byte 21: the elements are durations ('<m8[s]'), which are not read | "
                        "numpy.save(FILE, a.astype('float64')) stores numbers"},
    {TYPED("4"), "f: byte 20: expected an element type such as '<f4', found '4'"},
    {TYPED("'<f\\x34'"), "f: byte 23: expected the end of the text, found '\\'"},
    {"", "f: byte 10: expected '{', found the end of the header"},
    {"(1,)", "f: byte 10: expected '{', found '('"},
    {"{", "f: byte 11: expected a key or '}', found the end of the header"},
    {"{\t", "f: byte 11: expected a key or '}', found byte 0x09"},
    {"{" GOOD "} x", "f: byte 66: expected the end of the header, found 'x'"},
    {"{" GOOD, "f: byte 64: expected ',' or '}', found the end of the header"},
    {"{" GOOD " 'x'", "f: byte 65: expected ',' or '}', found '''"},
    {"{" GOOD ", 'descr': '<f4'}", "f: byte 66: the key 'descr' is there twice"},
    {"{" GOOD ", 'more': 1}",
     "f: byte 66: unknown key 'more': a header has descr, fortran_order and shape"},
    {"{'descr' '<f4'}", "f: byte 19: expected ':', found '''"},
    {"{'descr': '<f4'}", "f: byte 10: the header has no key 'fortran_order'"},
    {"{'fortran_order': 0}", "f: byte 28: expected True or False, found '0'"},
    {"{'fortran_order': Falsy}", "f: byte 28: expected True or False, found 'F'"},
    {"{'fortran_order': Tru", "f: byte 28: expected True or False, found 'T'"},
    {SHAPED("1"), "f: byte 60: expected a shape such as (3, 4), found '1'"},
    {SHAPED("(1)"), "f: byte 60: (1) is not a shape, (1,) is one"},
    {SHAPED("(-1,)"), "f: byte 61: expected a size, found '-'"},
    {SHAPED("(01,)"), "f: byte 61: a size begins with 0, which Python does not read"},
    {SHAPED("(1 1)"), "f: byte 63: expected ',' or ')', found '1'"},
    {SHAPED("(1,,)"), "f: byte 63: expected a size, found ','"},
    {SHAPED("(1, 1, 1, 1, 1, 1)"), "f: byte 79: the matrix has 6 axes, and at most 4 are read"},
    {SHAPED("(1, 1, 1, 1, 1)"), "f: byte 76: the matrix has 5 axes, and at most 4 are read"},
    {SHAPED("(18446744073709551615,)"), "f: byte 10: a matrix of 18446744073709551615 long "
                                        "elements is larger than an address can hold"},
    {SHAPED("(184467440737095516150,)"), "f: byte 61: the size is larger than an address can hold"},
    {"{\x7f", "f: byte 11: expected a key or '}', found byte 0x7f"},
    {"{'descr': [('a', '<f4')]}",
     "f: byte 20: the elements are records of several fields, which are not read | save each field "
     "in a file of its own: numpy.save(FILE, a['field'])"},
    {TYPED("'<g45678901234567890123456789012345678901234567890'"),
     "f: byte 21: unknown element type '<g45678901234567890123456789012345678901' | "
     "numpy.save(FILE, a.astype('float32')) stores one that is read"},
    {"{'a234567890123456789012345678901234567890123': 1}",
     "f: byte 11: unknown key 'a234567890123456789012345678901234567890': a header has descr, "
     "fortran_order and shape"},
    {SHAPED("(18446744073709551616,)"), "f: byte 61: the size is larger than an address can hold"},
    {SHAPED("(4294967296, 4294967296)"),
     "f: byte 10: a matrix of 4294967296 x 4294967296 elements is larger than an address can "
     "hold"},
    {SHAPED("(2305843009213693952,)"), "f: byte 10: a matrix of 2305843009213693952 long elements "
                                       "is larger than an address can hold"},
    {SHAPED("(1000000, 1000)"),
     "f: byte 76: 1000000 x 1000 of <f4 are 4000000000 bytes, 4 are there"},
};

/* Magic, version, length, the literal, and one float32 of 2. */
static text npy_of(const char *version, const char *literal)
{
    text t = {0};
    size_t length = strlen(literal);
    text_add(&t, "\x93NUMPY", 6);
    text_add(&t, version, 2);
    text_add(&t, (const char[]){(char)(length & 255), (char)(length >> 8), 0, 0},
             version[0] == 1 ? 2 : 4);
    text_add_string(&t, literal);
    text_add(&t, "\0\0\0\x40", 4);
    return t;
}

static void test_headers(unit *u)
{
    text out = {0};
    for (size_t i = 0; i < sizeof HEADERS / sizeof HEADERS[0]; i++) {
        text file = npy_of("\x01\0", HEADERS[i].literal);
        const char *got = listed_by(npy_read, file.data, file.length, &F32, &out);
        /* where the header ends depends on it, and is not what is tested */
        CHECK_TEXT(u, got, HEADERS[i].wanted);
        text_free(&file);
    }
    text_free(&out);
}

/* Whatever of a header is there, it is refused at the end of that or before. */
static void test_header_ends(unit *u)
{
    static const char WHOLE[] = "{'descr': '<f4', 'fortran_order': True, 'shape': (1L, 23)}";
    char some[sizeof WHOLE];
    text out = {0};
    for (size_t length = 0; length < sizeof WHOLE - 1; length++) {
        memcpy(some, WHOLE, length);
        some[length] = '\0';
        text file = npy_of("\x01\0", some);
        const char *got = listed_by(npy_read, file.data, file.length, &F32, &out);
        CHECK(u, strncmp(got, "f: byte ", 8) == 0 && strtoul(got + 8, NULL, 10) <= 10 + length);
        text_free(&file);
    }
    text_free(&out);
}

static void test_around(unit *u)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *wanted;
    } ROWS[] = {
        {"", 0, "f: byte 0: a NPY begins with \\x93NUMPY, and this does not"},
        {"\x93NUMPY\x01", 7, "f: byte 7: the header needs 10 bytes, 7 are there"},
        {"\x93NUMPY\x02\0\1\0\0", 11, "f: byte 11: the header needs 12 bytes, 11 are there"},
        {"\x93NUMPY\x02\0\1\0\0\0", 12, "f: byte 12: the header needs 13 bytes, 12 are there"},
        {"\x93NUMPY\0\0\1\0\0\0", 12, "f: byte 6: version 0.0 is not read, 1.0 to 3.0 are"},
        {"\x93NUMPY\x04\0\1\0\0\0", 12, "f: byte 6: version 4.0 is not read, 1.0 to 3.0 are"},
        {"\x93NUMPY\x01\x01\1\0\0\0", 12, "f: byte 6: version 1.1 is not read, 1.0 to 3.0 are"},
        {"\x93NUMPY\x03\0\0\0\x01\0", 12,
         "f: byte 8: the header is 65536 bytes long, at most 65535 are read"},
        {"\x80\x04\x95.", 4,
         "f: byte 0: this is a pickle, which is not read | "
         "numpy.save(FILE, a.astype('float32')) stores numbers"},
    };
    text out = {0};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        CHECK_TEXT(u, listed_by(npy_read, ROWS[i].bytes, ROWS[i].length, &F32, &out),
                   ROWS[i].wanted);
    text longer = npy_of("\x01\0", SHAPED("(1,)"));
    text_add(&longer, "x", 1);
    CHECK_TEXT(u, listed_by(npy_read, longer.data, longer.length, &F32, &out),
               "f: byte 65: 1 long of <f4 are 4 bytes, 5 are there");
    text_free(&longer);
    text_free(&out);
}

/* ---- writing ---- */

/* What is read from NumPy's file is written as that file. */
static void test_same_file(unit *u)
{
    static const char *const NAMES[] = {"little-f4", "rank-0", "rank-1", "rank-2",
                                        "rank-3",    "rank-4", "b1",     "little-f8"};
    const write_options how = {.digits = -1};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        source s;
        bundle b = {0};
        err e = {0};
        sink out;
        if (!open_sample(u, &s, NAMES[i]))
            continue;
        read_options from = F32;
        from.keeps_types = true;
        sink_open_memory(&out);
        CHECK(u, npy_read(s.bytes, s.length, &from, &b, &e) && npy_write(&b, &how, &out, &e));
        CHECK(u, sink_text(&out)->length == s.length &&
                     memcmp(sink_text(&out)->data, s.bytes, s.length) == 0);
        sink_discard(&out);
        bundle_free(&b);
        source_close(&s);
    }
}

static void test_write_errors(unit *u)
{
    const write_options how = {.digits = -1};
    const text_list header = {0};
    bundle b = {0};
    err e = {0};
    CHECK_TEXT(u, write_error(npy_write, &b, &how),
               "NPY holds one matrix, and there are 0:  | --emit takes one of them; NPZ holds all");
    CHECK(u, bundle_add_number(&b, "a", 1, (place){0}, &e));
    CHECK_TEXT(u, write_error(npy_write, &b, &how), "");
    CHECK_TEXT(u, write_error(npy_write, &b, &(write_options){.header = &header}),
               "NPY has no place for what --header says");
    CHECK(u, bundle_add_number(&b, "b", tensor_hole(), (place){0}, &e));
    CHECK_TEXT(u, write_error(npy_write, &b, &how),
               "'b' has a hole (null), and NPY has no way to write one | "
               "JSON and CSV hold it");
    bundle_remove(&b, "b");
    CHECK(u, bundle_add_number(&b, "b", 2, (place){0}, &e));
    CHECK_TEXT(
        u, write_error(npy_write, &b, &how),
        "NPY holds one matrix, and there are 2: a, b | --emit takes one of them; NPZ holds all");
    CHECK(u, bundle_add_text(&b, "name", "x", 1, (place){0}, &e));
    CHECK_TEXT(u, write_error(npy_write, &b, &how),
               "'name' can't be written as NPY, which holds matrices only | JSON holds everything");
    bundle_free(&b);
}

UNIT(npy)
{
    test_files(u);
    test_stored(u);
    test_cut(u);
    test_headers(u);
    test_header_ends(u);
    test_around(u);
    test_same_file(u);
    test_write_errors(u);
}
