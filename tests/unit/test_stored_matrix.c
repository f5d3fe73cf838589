/* Elements of binary files: what each bit pattern is worth (IEEE 754, by hand), when a matrix is
 * used in place, Fortran order, and what is refused at which byte. */
#include "io/stored_matrix.h"

#include "base/mem.h"
#include "listed.h"
#include "said.h"
#include "unit.h"

#include <math.h>
#include <string.h>

static const read_options F32 = {.file = "f", .type = DTYPE_F32};
static const read_options F64 = {.file = "f", .type = DTYPE_F64};

/* ---- elements ---- */

static double loaded(element_type type, bool is_big_endian, const char *bytes)
{
    double value[ELEMENT_RUN];
    return element_load(type, is_big_endian, bytes, 1, value) == 1 ? value[0] : -77;
}

static void test_elements(unit *u)
{
    static const struct {
        element_type type;
        const char *little, *big;
        double value;
    } ROWS[] = {
        {ELEMENT_F64, "\0\0\0\0\0\0\xf8\x3f", "\x3f\xf8\0\0\0\0\0\0", 1.5},
        {ELEMENT_F32, "\0\0\x20\xc0", "\xc0\x20\0\0", -2.5},
        {ELEMENT_F16, "\0\x3c", "\x3c\0", 1},
        {ELEMENT_F16, "\xff\x7b", "\x7b\xff", 65504},
        {ELEMENT_F16, "\x55\x35", "\x35\x55", 0.333251953125},
        {ELEMENT_F16, "\x01\x80", "\x80\x01", -0x1p-24},
        {ELEMENT_F16, "\0\xfc", "\xfc\0", -INFINITY},
        {ELEMENT_BF16, "\xab\x3e", "\x3e\xab", 0.333984375},
        {ELEMENT_BF16, "\x80\x7f", "\x7f\x80", INFINITY},
        {ELEMENT_I64, "\0\0\0\0\0\0\0\x80", "\x80\0\0\0\0\0\0\0", -0x1p63},
        {ELEMENT_I64, "\0\0\0\0\0\0\x20\0", "\0\x20\0\0\0\0\0\0", 0x1p53},
        {ELEMENT_I64, "\x01\0\0\0\0\0\x20\0", "\0\x20\0\0\0\0\0\x01", -77},
        {ELEMENT_I64, "\xff\xff\xff\xff\xff\xff\xdf\xff", "\xff\xdf\xff\xff\xff\xff\xff\xff", -77},
        {ELEMENT_I32, "\xfe\xff\xff\xff", "\xff\xff\xff\xfe", -2},
        {ELEMENT_I16, "\0\x80", "\x80\0", -32768},
        {ELEMENT_I8, "\xff", "\xff", -1},
        {ELEMENT_U64, "\0\xf8\xff\xff\xff\xff\xff\xff", "\xff\xff\xff\xff\xff\xff\xf8\0",
         0x1p64 - 2048},
        {ELEMENT_U64, "\xff\xff\xff\xff\xff\xff\xff\xff", "\xff\xff\xff\xff\xff\xff\xff\xff", -77},
        {ELEMENT_U32, "\xff\xff\xff\xff", "\xff\xff\xff\xff", 4294967295},
        {ELEMENT_U16, "\0\x80", "\x80\0", 32768},
        {ELEMENT_U8, "\xff", "\xff", 255},
        {ELEMENT_BOOL, "\x01", "\x01", 1},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        CHECK(u, loaded(ROWS[i].type, false, ROWS[i].little) == ROWS[i].value);
        CHECK(u, loaded(ROWS[i].type, true, ROWS[i].big) == ROWS[i].value);
    }
}

/* (−1)^s · 2^(e − 15) · 1.f, 2^−14 · 0.f: IEEE 754-2019, section 3.4, every pattern of it. */
static void test_halves(unit *u)
{
    size_t wrong = 0;
    for (unsigned bits = 0; bits < 65536; bits++) {
        const char bytes[] = {(char)(bits >> 8), (char)(bits & 255)};
        int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
        double value =
            exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 15 - 10);
        if (exponent == 31)
            value = fraction == 0 ? (double)INFINITY : (double)NAN;
        double got = loaded(ELEMENT_F16, true, bytes);
        bool is_same = isnan(value) ? isnan(got) : fabs(got) == value;
        wrong += !is_same || (!isnan(got) && (signbit(got) != 0) != (bits >> 15 == 1));
    }
    CHECK(u, wrong == 0);
}

/* ---- matrices ---- */

/* What a matrix is read as, or the error. */
static const char *read_as(const stored_matrix *m, key_kind kind, const read_options *how,
                           text *out)
{
    bundle b = {0};
    err e = {0};
    entry *to = bundle_add(&b, "", 0, m->at, &e);
    bool done = stored_matrix_read(m, kind, how, to, &e);
    const char *what = done ? listed(&b, out) : said(&e);
    bundle_free(&b);
    return what;
}

static stored_matrix matrix_of(element_type type, int rank, const size_t *size, const char *bytes)
{
    stored_matrix m = {
        .type = type, .type_name = "T", .axes = (size_t)rank, .rank = rank, .bytes = bytes};
    m.at = (place){.file = "f", .byte = 100, .has_byte = true};
    for (int axis = 0; axis < rank; axis++)
        m.size[axis] = size[axis];
    return m;
}

static void test_kinds(unit *u)
{
    text out = {0};
    const size_t row[] = {1, 3};
    stored_matrix bytes = matrix_of(ELEMENT_U8, 2, row, "\0\x01\x02");
    stored_matrix truths = matrix_of(ELEMENT_BOOL, 2, row, "\0\x01\x01");
    CHECK_TEXT(u, read_as(&bytes, KEY_MATRIX, &F32, &out), "- f32 1 x 3: 0 1 2; ");
    CHECK_TEXT(u, read_as(&bytes, KEY_MATRIX, &F64, &out), "- f64 1 x 3: 0 1 2; ");
    CHECK_TEXT(u, read_as(&bytes, KEY_EXPECTED, &F32, &out), "- f64 1 x 3: 0 1 2; ");
    CHECK_TEXT(u, read_as(&bytes, KEY_MASK, &F32, &out),
               "f: byte 102: 2 in row 1, column 3 is neither true (1) nor false (0)");
    stored_matrix numbers = matrix_of(ELEMENT_I16, 2, row, "\0\0\x01\0\x01\0");
    CHECK_TEXT(u, read_as(&numbers, KEY_MASK, &F32, &out), "- bool 1 x 3: 0 1 1; ");
    bytes.bytes = "\0\x01\x01";
    CHECK_TEXT(u, read_as(&bytes, KEY_MASK, &F32, &out), "- bool 1 x 3: 0 1 1; ");
    CHECK_TEXT(u, read_as(&truths, KEY_MASK, &F32, &out), "- bool 1 x 3: 0 1 1; ");
    CHECK_TEXT(u, read_as(&truths, KEY_EXPECTED, &F32, &out), "- f64 1 x 3: 0 1 1; ");
    CHECK_TEXT(u, read_as(&truths, KEY_MATRIX, &F32, &out),
               "f: byte 100: the elements are true and false, where numbers are wanted");
    truths.bytes = "\0\x01\x02";
    CHECK_TEXT(u, read_as(&truths, KEY_EXPECTED, &F32, &out),
               "f: byte 102: 2 in row 1, column 3 is neither true (1) nor false (0)");
    CHECK_TEXT(u, read_as(&bytes, KEY_SETTING, &F32, &out),
               "f: byte 100: 1 x 3 numbers stand where one number is wanted");
    text_free(&out);
}

static void test_settings(unit *u)
{
    text out = {0};
    stored_matrix number = matrix_of(ELEMENT_I16, 0, NULL, "\x02\0");
    CHECK_TEXT(u, read_as(&number, KEY_SETTING, &F32, &out), "- f64 a number: 2; ");
    CHECK_TEXT(u, read_as(&number, KEY_TOL, &F32, &out), "- f64 a number: 2; ");
    stored_matrix truth = matrix_of(ELEMENT_BOOL, 0, NULL, "\x01");
    entry setting = {0};
    err e = {0};
    CHECK(u, stored_matrix_read(&truth, KEY_SETTING, &F32, &setting, &e));
    CHECK(u, setting.kind == ENTRY_TEXT && strcmp(setting.text, "true") == 0);
    entry_free(&setting);
    entry named_one = {.name = mem_copy_text("m", 1, &e)};
    CHECK(u, stored_matrix_read(&truth, KEY_MATRIX, &F32, &named_one, &e));
    CHECK(u, named_one.tensor.type == DTYPE_BOOL);
    entry_free(&named_one);
    text_free(&out);
}

/* A type of its own stays, or becomes the narrowest that holds it. */
static void test_own_types(unit *u)
{
    static const struct {
        element_type type;
        const char *wanted;
    } ROWS[] = {{ELEMENT_F64, "- f64 1 long: 0; "},  {ELEMENT_F32, "- f32 1 long: 0; "},
                {ELEMENT_F16, "- f32 1 long: 0; "},  {ELEMENT_BF16, "- f32 1 long: 0; "},
                {ELEMENT_I64, "- f64 1 long: 0; "},  {ELEMENT_U32, "- f64 1 long: 0; "},
                {ELEMENT_I16, "- f32 1 long: 0; "},  {ELEMENT_U8, "- f32 1 long: 0; "},
                {ELEMENT_BOOL, "- bool 1 long: 0; "}};
    read_options how = F64;
    how.keeps_types = true;
    text out = {0};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        stored_matrix m = matrix_of(ROWS[i].type, 1, (size_t[]){1}, "\0\0\0\0\0\0\0\0");
        CHECK_TEXT(u, read_as(&m, KEY_MATRIX, &how, &out), ROWS[i].wanted);
    }
    text_free(&out);
}

static void test_values(unit *u)
{
    text out = {0};
    const size_t three[] = {3};
    read_options any = F32;
    any.allow_nonfinite = true;
    /* 1 + 2^-24 is a tie between 1 and 1 + 2^-23, and 1 + 2^-24 + 2^-52 is above it */
    const double doubles[] = {1 + 0x1p-24, 1 + 0x1p-24 + 0x1p-52, 0x1.fffffefffffffp127};
    stored_matrix m = matrix_of(ELEMENT_F64, 1, three, (const char *)doubles);
    CHECK_TEXT(u, read_as(&m, KEY_MATRIX, &F32, &out),
               "- f32 3 long: 1 1.00000012 3.40282347e+38; ");
    const double large[] = {0, 0, -0x1.ffffffp127};
    m.bytes = (const char *)large;
    CHECK_TEXT(u, read_as(&m, KEY_MATRIX, &F32, &out),
               "f: byte 116: -3.4028235677973366e38 in column 3 is too large for float32, whose "
               "largest number is 3.4028235e38 | --dtype f64 holds larger numbers");
    const float odd[] = {-INFINITY, NAN, INFINITY};
    m = matrix_of(ELEMENT_F32, 1, three, (const char *)odd);
    CHECK_TEXT(u, read_as(&m, KEY_MATRIX, &F32, &out),
               "f: byte 100: -inf in column 1 is not a finite number | "
               "--allow-nonfinite lets it through");
    CHECK_TEXT(u, read_as(&m, KEY_BIAS, &F32, &out),
               "f: byte 104: nan in column 2 can't be a bias: finite numbers and -inf can | "
               "--allow-nonfinite lets it through");
    CHECK_TEXT(u, read_as(&m, KEY_BIAS, &any, &out), "- f32 3 long: -inf nan inf; ");
    CHECK_TEXT(u, read_as(&m, KEY_EXPECTED, &F32, &out), "- f64 3 long: -inf nan inf; ");
    m = matrix_of(ELEMENT_U64, 0, NULL, "\xff\xff\xff\xff\xff\xff\xff\xff");
    CHECK_TEXT(u, read_as(&m, KEY_MATRIX, &F32, &out),
               "f: byte 100: 18446744073709551615 has more digits than float64 holds | "
               "all integers up to 9007199254740992 (2^53) are read, and of larger ones those that "
               "float64 holds exactly");
    text_free(&out);
}

/* Column by column in the file: element (i, j, k) of 2 x 3 x 2 is number i + 2·j + 6·k. */
static void test_fortran(unit *u)
{
    text out = {0};
    stored_matrix m = matrix_of(ELEMENT_U8, 3, (size_t[]){2, 3, 2}, "\0\1\2\3\4\5\6\7\10\11\12\13");
    m.is_fortran = true;
    CHECK_TEXT(u, read_as(&m, KEY_MATRIX, &F32, &out),
               "- f32 2 x 3 x 2: 0 6 2 8 4 10 1 7 3 9 5 11; ");
    m.bytes = "\0\1\1\1\1\1\1\1\1\1\2\1"; /* number 10 is (0, 2, 1) */
    CHECK_TEXT(u, read_as(&m, KEY_MASK, &F32, &out),
               "f: byte 110: 2 in matrix 1, row 3, column 2 is neither true (1) nor false (0)");
    text_free(&out);
}

/* Larger than a square of the transposition and a run of elements, in each size of element. */
static void check_large_fortran(unit *u, element_type type, key_kind kind, dtype wanted)
{
    enum { ROWS = 37, COLUMNS = 41 };
    double numbers[ROWS * COLUMNS];
    char *to = (char *)numbers;
    for (size_t k = 0; k < ROWS * COLUMNS; k++) {
        float narrow = (float)(k % 101 == 0);
        double wide = narrow;
        if (type == ELEMENT_F64)
            memcpy(to + 8 * k, &wide, 8);
        else if (type == ELEMENT_F32)
            memcpy(to + 4 * k, &narrow, 4);
        else
            to[k] = narrow != 0;
    }
    stored_matrix m = matrix_of(type, 2, (size_t[]){ROWS, COLUMNS}, to);
    m.is_fortran = true;
    entry got = {0};
    err e = {0};
    CHECK(u, stored_matrix_read(&m, kind, wanted == DTYPE_F64 ? &F64 : &F32, &got, &e));
    CHECK(u, got.tensor.type == wanted && got.tensor.stride[1] == 1);
    size_t wrong = 0, index[2];
    for (index[0] = 0; index[0] < ROWS; index[0]++) {
        for (index[1] = 0; index[1] < COLUMNS; index[1]++) {
            size_t number = index[0] + ROWS * index[1];
            wrong += tensor_get(&got.tensor, index) != (number % 101 == 0);
        }
    }
    CHECK(u, wrong == 0);
    entry_free(&got);
}

static void test_large_fortran(unit *u)
{
    check_large_fortran(u, ELEMENT_F64, KEY_MATRIX, DTYPE_F64);
    check_large_fortran(u, ELEMENT_F64, KEY_MATRIX, DTYPE_F32);
    check_large_fortran(u, ELEMENT_F32, KEY_MATRIX, DTYPE_F32);
    check_large_fortran(u, ELEMENT_BOOL, KEY_MASK, DTYPE_BOOL);
}

/* ---- in place ---- */

static bool is_shared(const stored_matrix *m, key_kind kind, read_options how, mapping *map)
{
    entry got = {0};
    err e = {0};
    how.map = map;
    bool done = stored_matrix_read(m, kind, &how, &got, &e);
    bool shares = done && got.tensor.file == map && got.tensor.data == m->bytes;
    bool is_copy = done && got.tensor.file == NULL && got.tensor.owns;
    entry_free(&got);
    return done && shares != is_copy && map->users == 1 && shares;
}

/* Matrices of narrower floats stay what they are, where that is asked for and they are finite. */
static void test_stays_narrow(unit *u)
{
    enum { LENGTH = 64 };
    _Alignas(64) char bytes[LENGTH] = {0};
    mapping map = {.users = 1, .bytes = bytes, .length = LENGTH};
    stored_matrix m = {
        .type = ELEMENT_F16, .axes = 2, .rank = 2, .size = {2, 3}, .bytes = bytes + 2};
    read_options to_f32 = F32, to_f64 = F64;
    to_f32.keeps_narrow = to_f64.keeps_narrow = true;
    CHECK(u, is_shared(&m, KEY_MATRIX, to_f32, &map));
    CHECK(u, is_shared(&m, KEY_MATRIX, to_f64, &map));
    CHECK(u, !is_shared(&m, KEY_MATRIX, F32, &map));
    unseen later = {0};
    err e = {0};
    to_f32.later = &later;
    entry seen_later = {0};
    to_f32.map = &map;
    CHECK(u, stored_matrix_read(&m, KEY_MATRIX, &to_f32, &seen_later, &e) && later.count == 1);
    CHECK(u, seen_later.tensor.type == DTYPE_F16 && seen_later.tensor.data == m.bytes);
    CHECK(u, unseen_look(&later, &e) && later.count == 0);
    entry_free(&seen_later);
    to_f32.later = NULL;
    CHECK(u, !is_shared(&m, KEY_BIAS, to_f32, &map));
    CHECK(u, !is_shared(&m, KEY_EXPECTED, to_f64, &map));
    m.is_big_endian = true;
    CHECK(u, !is_shared(&m, KEY_MATRIX, to_f32, &map));
    m.is_big_endian = false;
    m.type = ELEMENT_BF16;
    CHECK(u, is_shared(&m, KEY_MATRIX, to_f32, &map));
    bytes[6] = (char)0x80, bytes[7] = 0x7f; /* ∞ */
    to_f32.allow_nonfinite = true;
    CHECK(u, !is_shared(&m, KEY_MATRIX, to_f32, &map));
    m.type = ELEMENT_F16; /* of which it is a NaN */
    CHECK(u, !is_shared(&m, KEY_MATRIX, to_f32, &map));
    bytes[7] = 0;
    m.bytes = bytes + 3; /* at any address, as float32 then is too */
    CHECK(u, is_shared(&m, KEY_MATRIX, to_f32, &map));
    m.type = ELEMENT_F32;
    CHECK(u, is_shared(&m, KEY_MATRIX, to_f32, &map));
    CHECK(u, is_shared(&m, KEY_MATRIX, to_f64, &map));
    CHECK(u, !is_shared(&m, KEY_MATRIX, F32, &map));
    bytes[5] = (char)0x80, bytes[6] = 0x7f; /* infinity, of the first number at 3 */
    CHECK(u, !is_shared(&m, KEY_MATRIX, to_f32, &map));
    bytes[5] = bytes[6] = 0;
    m.bytes = bytes + 4;
    m.type = ELEMENT_F32;
    CHECK(u, is_shared(&m, KEY_MATRIX, to_f64, &map));
    m.type = ELEMENT_I16;
    CHECK(u, !is_shared(&m, KEY_MATRIX, to_f32, &map));
}

static void test_in_place(unit *u)
{
    enum { LENGTH = 64 };
    err e = {0};
    char *bytes = mem_alloc_zeroed(LENGTH, 1, &e);
    mapping map = {.users = 1, .bytes = bytes, .length = LENGTH};
    read_options any = F32;
    any.allow_nonfinite = true;
    stored_matrix m = matrix_of(ELEMENT_F32, 2, (size_t[]){2, 3}, bytes + 40); /* to the end */
    CHECK(u, is_shared(&m, KEY_MATRIX, F32, &map));
    CHECK(u, !is_shared(&m, KEY_MATRIX, F64, &map));
    m.is_big_endian = true;
    CHECK(u, !is_shared(&m, KEY_MATRIX, F32, &map));
    m.is_big_endian = false;
    m.is_fortran = true;
    CHECK(u, !is_shared(&m, KEY_MATRIX, F32, &map));
    m.size[0] = 1; /* one row: both orders are one */
    CHECK(u, is_shared(&m, KEY_MATRIX, F32, &map));
    m.bytes = bytes + 2;
    CHECK(u, !is_shared(&m, KEY_MATRIX, F32, &map));
    m.bytes = bytes + 40;
    map.length = 51; /* the last byte lies outside */
    CHECK(u, !is_shared(&m, KEY_MATRIX, F32, &map));
    map.length = 39; /* and all of them */
    CHECK(u, !is_shared(&m, KEY_MATRIX, F32, &map));
    map.length = LENGTH;
    map.bytes = bytes + 44;
    CHECK(u, !is_shared(&m, KEY_MATRIX, F32, &map));
    map.bytes = bytes;
    memcpy(bytes + 44, "\x01\0\xc0\x7f", 4); /* a NaN that is not the canonical one */
    CHECK(u, !is_shared(&m, KEY_MATRIX, any, &map));
    memcpy(bytes + 44, "\0\0\x80\x7f", 4); /* infinity */
    CHECK(u, is_shared(&m, KEY_MATRIX, any, &map));
    m = matrix_of(ELEMENT_U8, 1, (size_t[]){3}, bytes + 1);
    CHECK(u, is_shared(&m, KEY_MASK, F32, &map));
    mem_free(bytes);
}

/* ---- shapes ---- */

static void test_shapes(unit *u)
{
    size_t bytes;
    const place at = {.file = "f", .byte = 8, .has_byte = true};
    err e = {0};
    stored_matrix m = matrix_of(ELEMENT_F64, 3, (size_t[]){2, 0, 3}, "");
    CHECK(u, !stored_matrix_bytes(&m, &at, &bytes, &e));
    CHECK_TEXT(u, said(&e), "f: byte 8: the matrix is 2 x 0 x 3; a matrix has at least one number");
    e = (err){0};
    m.size[1] = (size_t)1 << 60;
    CHECK(u, !stored_matrix_bytes(&m, &at, &bytes, &e));
    CHECK_TEXT(u, said(&e),
               "f: byte 8: a matrix of 2 x 1152921504606846976 x 3 elements is larger than an "
               "address can hold");
    m.size[1] = 5;
    e = (err){0};
    CHECK(u, stored_matrix_bytes(&m, &at, &bytes, &e) && bytes == 240);
    text out = {0};
    m = matrix_of(ELEMENT_U8, 5, (size_t[]){1, 1, 1, 1, 1}, "\x07");
    CHECK_TEXT(u, read_as(&m, KEY_EXPECTED, &F32, &out), "- f64 1 x 1 x 1 x 1 x 1: 7; ");
    CHECK_TEXT(u, read_as(&m, KEY_MATRIX, &F32, &out),
               "f: byte 100: the matrix has 5 axes, and at most 4 are read");
    text_free(&out);
}

UNIT(stored_matrix)
{
    test_elements(u);
    test_halves(u);
    test_kinds(u);
    test_settings(u);
    test_own_types(u);
    test_values(u);
    test_fortran(u);
    test_large_fortran(u);
    test_in_place(u);
    test_stays_narrow(u);
    test_shapes(u);
}
