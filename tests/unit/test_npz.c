/* NPZ: files that NumPy made (testdata/npy/make.py), which of their members are read and as what,
 * and that what is written stays readable, aligned, and the same. */
#include "base/mem.h"
#include "io/format.h"
#include "io/source.h"
#include "io/zip.h"
#include "listed.h"
#include "said.h"
#include "unit.h"
#include "written.h"

#include <string.h>
#include <zlib.h>

static const read_options ALL = {.file = "f", .kind = KEY_MATRIX, .type = DTYPE_F32};

static bool open_sample(unit *u, source *s, const char *name)
{
    char file[64];
    err e = {0};
    snprintf(file, sizeof file, "testdata/npy/%s", name);
    return CHECK(u, source_open(s, file, SIZE_MAX, &e));
}

static void check_file(unit *u, const char *name, const read_options *how, const char *wanted)
{
    source s;
    text out = {0};
    if (open_sample(u, &s, name)) {
        CHECK(u, npz_probe(s.bytes, s.length));
        CHECK_TEXT(u, listed_by(npz_read, s.bytes, s.length, how, &out), wanted);
        source_close(&s);
    }
    text_free(&out);
}

#define X "x - f32 2 x 3: 0 1.5 -2 3 4 5.25; "
#define WQ "wq - f32 3 x 2: 1 0 0 2 0.5 0.5; "

static void test_files(unit *u)
{
    check_file(u, "stored.npz", &ALL, X WQ "heads - f32 a number: 2; ");
    check_file(u, "deflated.npz", &ALL, X WQ "heads - f32 a number: 2; ");
    check_file(u, "piped.npz", &ALL, X WQ);
}

/* Keys say what is read, and as what. */
static void test_keys(unit *u)
{
    static const key ROWS[] = {
        {{"heads", ""}, KEY_SETTING}, {{"wq", ""}, KEY_EXPECTED}, {{"x", ""}, KEY_LIST}};
    static const named_table SETTINGS = {"key", &ROWS[0].named, 2,    sizeof ROWS[0],
                                         NULL,  NULL,           false};
    static const named_table LISTS = {"key", &ROWS[0].named, 3, sizeof ROWS[0], NULL, NULL, false};
    read_options how = ALL;
    how.keys = &SETTINGS;
    check_file(u, "deflated.npz", &how, "f: byte 0: unknown key 'x'");
    how.skips_unknown = true;
    check_file(u, "deflated.npz", &how,
               "wq - f64 3 x 2: 1 0 0 2 0.5 0.5; heads - f64 a number: 2; ");
    how.keys = &LISTS;
    check_file(u, "deflated.npz", &how,
               "f: byte 0: 'x' is not a matrix, and NPZ holds nothing else");
    how = ALL;
    how.most_bytes = 152 + 175; /* x's file has 128 + 24 bytes, wq's 128 + 48 */
    check_file(u, "deflated.npz", &how,
               "f: byte 142: 'wq.npy' unpacks to 176 bytes, 175 may be used | "
               "--max-memory raises the limit");
    check_file(u, "stored.npz", &how, X WQ "heads - f32 a number: 2; ");
}

/* Cut anywhere it is an error with a place; turned over anywhere it is the same or an error. */
static void test_damage(unit *u, const char *name)
{
    source s;
    text out = {0}, wanted = {0};
    size_t wrong = 0;
    if (!open_sample(u, &s, name))
        return;
    text_add_string(&wanted, listed_by(npz_read, s.bytes, s.length, &ALL, &out));
    for (size_t length = 0; length < s.length; length++) {
        err e = {0};
        char *cut = mem_alloc(length, 1, &e);
        memcpy(cut, s.bytes, length);
        wrong += strncmp(listed_by(npz_read, cut, length, &ALL, &out), "f: byte ", 8) != 0;
        mem_free(cut);
    }
    for (size_t i = 0; i < s.length; i++) {
        err e = {0};
        char *copy = mem_alloc(s.length, 1, &e);
        memcpy(copy, s.bytes, s.length);
        copy[i] = (char)~copy[i];
        const char *got = listed_by(npz_read, copy, s.length, &ALL, &out);
        wrong += strncmp(got, "f: byte ", 8) != 0 && strcmp(got, text_string(&wanted)) != 0;
        mem_free(copy);
    }
    CHECK(u, wrong == 0);
    source_close(&s);
    text_free(&out);
    text_free(&wanted);
}

/* ---- members by hand ---- */

static void add_member(zip_writer *w, sink *out, const char *name, const char *bytes, size_t length)
{
    zip_writer_add(w, name, length, (uint32_t)crc32_z(0, (const Bytef *)bytes, length));
    text_add(sink_text(out), bytes, length);
}

/* A NPZ of one stored member. */
static text npz_of(const char *name, const char *bytes, size_t length)
{
    err e = {0};
    sink out;
    sink_open_memory(&out);
    zip_writer w = zip_writer_of(&out);
    add_member(&w, &out, name, bytes, length);
    zip_writer_close(&w, &e);
    return sink_take(&out);
}

static void check_member(unit *u, const char *name, const char *bytes, const read_options *how,
                         const char *wanted)
{
    text out = {0}, made = npz_of(name, bytes, strlen(bytes));
    CHECK_TEXT(u, listed_by(npz_read, made.data, made.length, how, &out), wanted);
    text_free(&made);
    text_free(&out);
}

/* Places in a member are the member's: it may be packed. */
static void test_members(unit *u)
{
    read_options skips = ALL;
    skips.skips_unknown = true;
    check_member(u, "w.npy", "no", &ALL,
                 "f:w: byte 0: a NPY begins with \\x93NUMPY, and this does not");
    check_member(u, "w.npy", "\x80\x04.", &ALL,
                 "f:w: byte 0: this is a pickle, which is not read | "
                 "numpy.save(FILE, a.astype('float32')) stores numbers");
    check_member(u, "readme.txt", "no", &ALL,
                 "f: byte 0: 'readme.txt' is not a matrix: in a NPZ, matrices end in .npy | "
                 "this zip is not a NPZ: unzip takes its files out");
    check_member(u, "readme.txt", "no", &skips, "");
    check_member(u, ".npy", "no", &ALL,
                 "f: byte 0: '.npy' is not a matrix: in a NPZ, matrices end in .npy | "
                 "this zip is not a NPZ: unzip takes its files out");
    check_member(u, "folder/", "", &ALL, "");
    /* the first 80 characters of a name */
    check_member(
        u,
        "a123456789b123456789c123456789d123456789e123456789f123456789g123456789h1234567890 and "
        "more",
        "no", &ALL,
        "f: byte 0: 'a123456789b123456789c123456789d123456789e123456789f123456789g123456789"
        "h123456789' is not a matrix: in a NPZ, matrices end in .npy | "
        "this zip is not a NPZ: unzip takes its files out");
    /* a file that is called like another member of it */
    read_options of_other = ALL;
    of_other.file = "f.npz:k";
    check_member(u, "w.npy", "no", &of_other,
                 "f.npz:k:w: byte 0: a NPY begins with \\x93NUMPY, and this does not");
    of_other.file = "f.npz:w";
    check_member(u, "w.npy", "no", &of_other,
                 "f.npz:w: byte 0: a NPY begins with \\x93NUMPY, and this does not");
    check_member(u, "a/data.pkl", "no", &ALL,
                 "f: byte 0: 'a/data.pkl' is not a matrix: in a NPZ, matrices end in .npy | "
                 "this is a pickle of PyTorch: save the tensors as safetensors");
}

/* ---- writing ---- */

static text written(unit *u, const bundle *b)
{
    err e = {0};
    sink out;
    sink_open_memory(&out);
    CHECK(u, npz_write(b, &(write_options){.digits = -1}, &out, &e));
    CHECK_TEXT(u, said(&e), "");
    return sink_take(&out);
}

static bool add_matrix(bundle *b, const char *name, dtype type, double first, err *e)
{
    tensor t;
    if (!tensor_new(&t, type, 2, (size_t[]){3, 2}, e))
        return false;
    size_t index[2] = {0};
    do {
        tensor_set(&t, index, first++);
    } while (tensor_next(&t, index));
    return bundle_add_tensor(b, name, &t, (place){0}, e);
}

/* Whether a member's own header says that its name is UTF-8: bit 11 of the flags (APPNOTE.TXT,
 * 4.4.4). */
static bool says_utf8(const text *file, const char *name)
{
    enum { HEADER = 30, FLAGS = 6 };
    size_t at = HEADER, length = strlen(name);
    while (at + length < file->length && memcmp(file->data + at, name, length) != 0)
        at++;
    return (file->data[at - HEADER + FLAGS + 1] & 8) != 0;
}

/* Written and read, with every matrix where it lies in the file. */
static void test_there_and_back(unit *u)
{
    err e = {0};
    bundle b = {0}, back = {0};
    CHECK(u, add_matrix(&b, "", DTYPE_F32, 1, &e) && add_matrix(&b, "vecteur ü", DTYPE_F64, 2, &e));
    CHECK(u, add_matrix(&b, "a/b", DTYPE_F32, -3, &e));
    tensor rows = b.entry[2].tensor;
    b.entry[2].tensor = tensor_transposed(&rows);
    text made = written(u, &b), again = written(u, &b), out = {0};
    CHECK(u, made.length == again.length && memcmp(made.data, again.data, made.length) == 0);
    CHECK(u, says_utf8(&made, "vecteur ü.npy") && !says_utf8(&made, "a/b.npy"));
    mapping map = {.users = 1, .bytes = made.data, .length = made.length};
    read_options how = ALL;
    how.keeps_types = true;
    how.map = &map;
    CHECK(u, npz_read(made.data, made.length, &how, &back, &e));
    CHECK_TEXT(u, listed(&back, &out),
               "arr_0 - f32 3 x 2: 1 2 3 4 5 6; vecteur ü - f64 3 x 2: 2 3 4 5 6 7; "
               "a/b - f32 2 x 3: -3 -1 1 -2 0 2; ");
    for (size_t i = 0; i < back.count; i++)
        CHECK(u, back.entry[i].tensor.file == &map);
    bundle_free(&back);
    CHECK(u, map.users == 1);
    text_free(&made);
    text_free(&again);
    text_free(&out);
    tensor_free(&rows);
    bundle_free(&b);
}

static void test_write_errors(unit *u)
{
    const write_options how = {.digits = -1};
    const text_list header = {0};
    bundle b = {0};
    err e = {0};
    text name = {0};
    CHECK_TEXT(u, write_error(npz_write, &b, &(write_options){.header = &header}),
               "NPZ has no place for what --header says");
    CHECK(u, bundle_add_text(&b, "name", "x", 1, (place){0}, &e));
    CHECK_TEXT(u, write_error(npz_write, &b, &how),
               "'name' can't be written as NPZ, which holds matrices only | JSON holds everything");
    bundle_free(&b);
    text_add_repeated(&name, "n", 4091);
    CHECK(u, bundle_add_number(&b, text_string(&name), 1, (place){0}, &e));
    CHECK_TEXT(u, write_error(npz_write, &b, &how), "");
    text_add_string(&name, "n");
    CHECK(u, bundle_add_number(&b, text_string(&name), 1, (place){0}, &e));
    CHECK_TEXT(u, write_error(npz_write, &b, &how),
               "a name in a NPZ has at most 4091 bytes, "
               "'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn…' has 4092");
    text_free(&name);
    bundle_free(&b);
}

/* What is no matrix is kept as unread, unless a matrix has its name. */
static void test_unread(unit *u)
{
    static const char *const OTHER[] = {"w", "v"};
    read_options keeps = ALL;
    keeps.keeps_unread = true;
    for (size_t i = 0; i < 2; i++) {
        err e = {0};
        sink out, matrix;
        text shown = {0};
        bundle b = {0};
        add_matrix(&b, "", DTYPE_F32, 5, &e);
        sink_open_memory(&matrix);
        CHECK(u, npy_write(&b, &(write_options){.digits = -1}, &matrix, &e));
        text npy = sink_take(&matrix);
        sink_open_memory(&out);
        zip_writer w = zip_writer_of(&out);
        add_member(&w, &out, "w.npy", npy.data, npy.length);
        add_member(&w, &out, OTHER[i], "no", 2);
        zip_writer_close(&w, &e);
        text all = sink_take(&out);
        const char *said = listed_by(npz_read, all.data, all.length, &keeps, &shown);
        CHECK(u, strstr(said, i == 0 ? "'w' is not a matrix" : "w - f32 ") != NULL);
        bundle_free(&b);
        text_free(&npy);
        text_free(&all);
        text_free(&shown);
    }
}

UNIT(npz)
{
    test_unread(u);
    test_files(u);
    test_keys(u);
    test_damage(u, "stored.npz");
    test_damage(u, "deflated.npz");
    test_damage(u, "piped.npz");
    test_members(u);
    test_there_and_back(u);
    test_write_errors(u);
}
