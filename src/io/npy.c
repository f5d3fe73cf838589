/* NPY, versions 1.0 to 3.0: one matrix, without a name. Written as numpy.save writes it, byte for
 * byte.
 *
 * NPZ: a zip of NPY files, each matrix under its member's name without ".npy". Read are stored and
 * deflated members; a stored one can be used in place. Written are stored members without dates, so
 * that the same result is the same bytes, and with their elements aligned, so that they can be. */

#include "base/mem.h"
#include "io/stored_matrix.h"
#include "io/zip.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

/* ---- the header ----
 *
 * Magic, version, and a Python literal that says what the elements are.
 *
 * The format is NumPy's (NEP 1, and numpy/lib/format.py for versions 2 and 3):
 *     \x93NUMPY, major, minor, the header's length (2 bytes; 4 from version 2 on), little-endian,
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, spaces and a newline,
 *     the elements.
 * It is parsed for just that, never evaluated. Elements that are not numbers are refused by name,
 * such as Python objects, which would be a pickle. */

static const char MAGIC[] = "\x93NUMPY";
enum { MAGIC_LENGTH = 6, DATA_ALIGN = 64, MAX_HEADER = 65535 };

typedef struct slice {
    const char *from, *end;
} slice;

typedef struct parser {
    const char *bytes, *next, *end;
    place origin; /* of bytes[0] */
    stored_matrix *out;
} parser;

static place place_at(const parser *p, const char *at)
{
    place where = p->origin;
    where.byte += (size_t)(at - p->bytes);
    return where;
}

/* Types of NumPy that are not numbers here, by the letter after the byte order. */
static const struct {
    char letter;
    const char *what, *remedy;
} REFUSED[] = {
    {'O', "Python objects (a pickle)", "numpy.save(FILE, a.astype('float32')) stores numbers"},
    {'c', "complex numbers", "save a.real and a.imag, each in a file of its own"},
    {'U', "texts", "words go into JSON, or --tokens"},
    {'S', "texts", "words go into JSON, or --tokens"},
    {'a', "texts", "words go into JSON, or --tokens"},
    {'V', "raw bytes", "numpy.save(FILE, a.astype('float32')) stores numbers"},
    {'M', "dates", "numpy.save(FILE, a.astype('float64')) stores numbers"},
    {'m', "durations", "numpy.save(FILE, a.astype('float64')) stores numbers"},
};

/* ---- the literal ---- */

static void skip_space(parser *p)
{
    while (p->next < p->end && (*p->next == ' ' || *p->next == '\n'))
        p->next++;
}

static bool fail_expected(const parser *p, const char *wanted, err *e)
{
    place at = place_at(p, p->next);
    if (p->next == p->end)
        return err_at(e, &at, "expected %s, found the end of the header", wanted);
    unsigned char found = (unsigned char)*p->next;
    if (found > ' ' && found < 0x7f)
        return err_at(e, &at, "expected %s, found '%c'", wanted, found);
    return err_at(e, &at, "expected %s, found byte 0x%02x", wanted, found);
}

/* Takes one character, and passes the spaces around it. */
static bool take(parser *p, char wanted)
{
    skip_space(p);
    if (p->next == p->end || *p->next != wanted)
        return false;
    p->next++;
    skip_space(p);
    return true;
}

static bool read_string(parser *p, const char *wanted, slice *out, err *e)
{
    char quote = p->next < p->end ? *p->next : '\0';
    if (quote != '\'' && quote != '"')
        return fail_expected(p, wanted, e);
    out->from = ++p->next;
    while (p->next < p->end && *p->next != quote && *p->next != '\\')
        p->next++;
    if (p->next == p->end || *p->next != quote)
        return fail_expected(p, "the end of the text", e);
    out->end = p->next++;
    return true;
}

static bool read_descr(parser *p, err *e)
{
    place at = place_at(p, p->next);
    slice s = {0};
    if (p->next < p->end && *p->next == '[') {
        err_at(e, &at, "the elements are records of several fields, which are not read");
        return err_remedy(e, "save each field in a file of its own: numpy.save(FILE, a['field'])");
    }
    if (!read_string(p, "an element type such as '<f4'", &s, e))
        return false;
    at = place_at(p, s.from);
    size_t length = (size_t)(s.end - s.from);
    char order = length == 3 ? *s.from : '\0', letter = length > 1 ? s.from[1] : '\0';
    if (order == '=')
        order = "<>"[element_order_is_native(ELEMENT_F32, true)];
    for (element_type type = 0; type < ELEMENT_TYPES; type++) {
        const element_row *row = &ELEMENTS[type];
        bool has_order = order == '<' || order == '>' || (order == '|' && row->size == 1);
        if (!has_order || row->little == NULL || memcmp(s.from + 1, row->little + 1, 2) != 0)
            continue;
        p->out->type = type;
        p->out->is_big_endian = order == '>';
        p->out->type_name = order == '>' ? row->big : row->little;
        return true;
    }
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        if (REFUSED[i].letter != letter)
            continue;
        err_at(e, &at, "the elements are %s ('%.*s'), which are not read", REFUSED[i].what,
               (int)length, s.from);
        return err_remedy(e, "%s", REFUSED[i].remedy);
    }
    err_at(e, &at, "unknown element type '%.*s'", (int)(length < 40 ? length : 40), s.from);
    return err_remedy(e, "numpy.save(FILE, a.astype('float32')) stores one that is read");
}

static bool read_order(parser *p, err *e)
{
    size_t left = (size_t)(p->end - p->next);
    bool is_true = left >= 4 && memcmp(p->next, "True", 4) == 0;
    if (!is_true && (left < 5 || memcmp(p->next, "False", 5) != 0))
        return fail_expected(p, "True or False", e);
    p->out->is_fortran = is_true;
    p->next += is_true ? 4 : 5;
    return true;
}

/* (), (3,) or (3, 4) */
static bool read_shape(parser *p, err *e)
{
    stored_matrix *m = p->out;
    place at = place_at(p, p->next);
    bool has_comma = false;
    if (!take(p, '('))
        return fail_expected(p, "a shape such as (3, 4)", e);
    for (m->axes = 0; !take(p, ')'); m->axes++) {
        if (m->axes > 0 && !has_comma)
            return fail_expected(p, "',' or ')'", e);
        const char *first = p->next;
        place here = place_at(p, first);
        size_t size = 0;
        for (; p->next < p->end && *p->next >= '0' && *p->next <= '9'; p->next++) {
            if (!size_mul(size, 10, &size) || !size_add(size, (size_t)(*p->next - '0'), &size))
                return err_at(e, &here, "the size is larger than an address can hold");
        }
        if (p->next == first)
            return fail_expected(p, "a size", e);
        if (*first == '0' && p->next - first > 1)
            return err_at(e, &here, "a size begins with 0, which Python does not read");
        p->next += p->next < p->end && *p->next == 'L'; /* as Python 2 wrote it */
        if (m->rank < TENSOR_MAX_RANK)
            m->size[m->rank++] = size;
        has_comma = take(p, ',');
    }
    return m->axes != 1 || has_comma ||
           err_at(e, &at, "(%zu) is not a shape, (%zu,) is one", m->size[0], m->size[0]);
}

static const struct {
    const char *name;
    bool (*read)(parser *p, err *e);
} KEYS[] = {{"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};
enum { KEY_COUNT = sizeof KEYS / sizeof KEYS[0] };

/* {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } */
static bool read_literal(parser *p, err *e)
{
    bool has[KEY_COUNT] = {false}, has_comma = true;
    place begin = place_at(p, p->next);
    if (!take(p, '{'))
        return fail_expected(p, "'{'", e);
    while (!take(p, '}')) {
        if (!has_comma)
            return fail_expected(p, "',' or '}'", e);
        slice name = {0};
        place at = place_at(p, p->next);
        if (!read_string(p, "a key or '}'", &name, e))
            return false;
        size_t length = (size_t)(name.end - name.from), i = 0;
        while (i < KEY_COUNT &&
               (strlen(KEYS[i].name) != length || memcmp(KEYS[i].name, name.from, length) != 0))
            i++;
        if (i == KEY_COUNT)
            return err_at(e, &at, "unknown key '%.*s': a header has descr, fortran_order and shape",
                          (int)(length < 40 ? length : 40), name.from);
        if (has[i])
            return err_at(e, &at, "the key '%s' is there twice", KEYS[i].name);
        has[i] = true;
        if (!take(p, ':'))
            return fail_expected(p, "':'", e);
        if (!KEYS[i].read(p, e))
            return false;
        has_comma = take(p, ',');
    }
    if (p->next < p->end)
        return fail_expected(p, "the end of the header", e);
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (!has[i])
            return err_at(e, &begin, "the header has no key '%s'", KEYS[i].name);
    }
    return true;
}

/* ---- around it ---- */

bool npy_probe(const char *bytes, size_t length)
{
    return length >= MAGIC_LENGTH && memcmp(bytes, MAGIC, MAGIC_LENGTH) == 0;
}

static bool fail_short(const parser *p, size_t length, size_t wanted, err *e)
{
    place end = place_at(p, p->bytes + length);
    return err_at(e, &end, "the header needs %zu bytes, %zu are there", wanted, length);
}

/* Finds the matrix in `length` bytes that begin at `at`, all of which are header or elements. If it
 * has more axes than can be read, its size is not checked, since stored_matrix_read refuses it. */
static bool find_matrix(const char *bytes, size_t length, const place *at, stored_matrix *out,
                        err *e)
{
    size_t wanted;
    parser p = {.bytes = bytes, .origin = *at, .out = out};
    *out = (stored_matrix){0};
    if (length > 0 && *bytes == '\x80') { /* as pickles do, from protocol 2 on */
        err_at(e, &p.origin, "this is a pickle, which is not read");
        return err_remedy(e, "numpy.save(FILE, a.astype('float32')) stores numbers");
    }
    if (!npy_probe(bytes, length))
        return err_at(e, &p.origin, "a NPY begins with \\x93NUMPY, and this does not");
    if (length < MAGIC_LENGTH + 4)
        return fail_short(&p, length, MAGIC_LENGTH + 4, e);
    const char *said = bytes + MAGIC_LENGTH;
    unsigned major = (unsigned char)said[0], minor = (unsigned char)said[1];
    place version = place_at(&p, said), field = place_at(&p, said + 2);
    if (major < 1 || major > 3 || minor != 0)
        return err_at(e, &version, "version %u.%u is not read, 1.0 to 3.0 are", major, minor);
    size_t before = MAGIC_LENGTH + (major == 1 ? 4 : 6);
    if (length < before)
        return fail_short(&p, length, before, e);
    size_t size = (size_t)little_read(said + 2, major == 1 ? 2 : 4);
    if (size > MAX_HEADER)
        return err_at(e, &field, "the header is %zu bytes long, at most %d are read", size,
                      MAX_HEADER);
    if (length - before < size)
        return fail_short(&p, length, before + size, e);
    p.next = bytes + before; /* the literal */
    p.end = p.next + size;
    place header = place_at(&p, p.next);
    if (!read_literal(&p, e))
        return false;
    out->bytes = p.end;
    out->at = place_at(&p, p.end);
    if (out->axes > TENSOR_MAX_RANK)
        return true;
    if (!stored_matrix_bytes(out, &header, &wanted, e))
        return false;
    size_t there = length - (size_t)(p.end - bytes);
    char shape[SHAPE_TEXT];
    return there == wanted ||
           err_at(e, &out->at, "%s of %s are %zu bytes, %zu are there",
                  sizes_text(out->rank, out->size, shape), out->type_name, wanted, there);
}

/* ---- writing ---- */

void npy_header_write(text *to, const tensor *t)
{
    text literal = {0};
    const char *type = t->type == DTYPE_F32 ? "<f4" : t->type == DTYPE_F64 ? "<f8" : "|b1";
    text_add_format(&literal, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
    /* "(3, 4)"; "(3,)", "()" */
    for (int axis = 0; axis < t->rank; axis++)
        text_add_format(&literal, "%s%zu", axis == 0 ? "" : ", ", t->size[axis]);
    text_add_string(&literal, t->rank == 1 ? ",), }" : "), }");
    /* NumPy leaves room for the first size to grow to 21 digits (numpy/lib/format.py,
     * GROWTH_AXIS_MAX_DIGITS), so that a file can be appended to. */
    enum { MOST_DIGITS = 21 };
    int digits = t->rank == 0 ? MOST_DIGITS : snprintf(NULL, 0, "%zu", t->size[0]);
    text_add_repeated(&literal, " ", (size_t)(MOST_DIGITS - digits));
    size_t before = MAGIC_LENGTH + 4, used = before + literal.length + 1;
    text_add_repeated(&literal, " ",
                      DATA_ALIGN - used % DATA_ALIGN); /* at least one space, as NumPy writes */
    text_add_string(&literal, "\n");
    text_add(to, MAGIC, MAGIC_LENGTH);
    text_add(to, "\x01", 2);
    little_write(to, literal.length, 2);
    text_add(to, text_string(&literal), literal.length);
    text_close(&literal, to);
}

/* ---- the file ---- */

bool npy_read(const char *bytes, size_t length, const read_options *how, bundle *out, err *e)
{
    const place begin = {.file = how->file, .has_byte = true};
    stored_matrix m;
    if (!find_matrix(bytes, length, &begin, &m, e))
        return false;
    entry *only = bundle_add(out, "", 0, m.at, e);
    return read_end(out, only != NULL && stored_matrix_read(&m, how->kind, how, only, e));
}

bool npy_write(const bundle *result, const write_options *how, sink *out, err *e)
{
    if (how->header != NULL)
        return err_set(e, "NPY has no place for what --header says");
    if (!element_bytes_check(result, "NPY", e))
        return false;
    if (result->count != 1) {
        text names = {0};
        for (size_t i = 0; i < result->count; i++)
            text_add_format(&names, "%s%s", i == 0 ? "" : ", ", result->entry[i].name);
        err_set(e, "NPY holds one matrix, and there are %zu: %s", result->count,
                text_string(&names));
        text_free(&names);
        return err_remedy(e, "--emit takes one of them; NPZ holds all");
    }
    const tensor *only = &result->entry[0].tensor;
    npy_header_write(sink_text(out), only);
    return element_bytes_write(only, out, e);
}

/* ---- NPZ ---- */

typedef struct reader {
    const read_options *how;
    zip zip;
    bool has_matrices;
    size_t left; /* of how->most_bytes, or no limit */
    text unpacked;
} reader;

static const char ENDING[] = ".npy";

static bool ends_with(const zip_member *m, const char *ending)
{
    size_t length = strlen(ending);
    return m->name_length > length &&
           memcmp(m->name + m->name_length - length, ending, length) == 0;
}

/* Whether a member's name begins so, which tells what kind of zip it is. */
static bool holds_name(const zip *z, const char *begins)
{
    size_t length = strlen(begins), i = 0;
    while (i < z->count &&
           (z->member[i].name_length < length || memcmp(z->member[i].name, begins, length) != 0))
        i++;
    return i < z->count;
}

/* The kinds of zip, each by a member that it has; the last one has any. */
typedef struct zip_kind {
    const char *begins, *remedy;
} zip_kind;

static const zip_kind ZIP_KINDS[] = {
    {"xl/", "this is a spreadsheet (xlsx): save it as CSV"},
    {"content.xml", "this is a spreadsheet (ods): save it as CSV"},
    {"word/", "this is a text document (docx): save its table as CSV, in a spreadsheet"},
    {"ppt/", "these are slides (pptx): their numbers have to be written as CSV"},
    {"", "this zip is not a NPZ: unzip takes its files out"},
};

/* A member that is not a NPY. A folder's entry is skipped. PyTorch's files are zips of pickles. */
static bool pass_other(const reader *r, const zip_member *m, bundle *out, err *e)
{
    if (m->name[m->name_length - 1] == '/' || r->how->skips_unknown)
        return true;
    place at = {.file = r->how->file, .byte = m->header, .has_byte = true};
    int length = m->name_length < 80 ? (int)m->name_length : 80;
    err_at(e, &at, "'%.*s' is not a matrix: in a NPZ, matrices end in .npy", length, m->name);
    if (ends_with(m, ".pkl"))
        err_remedy(e, "this is a pickle of PyTorch: save the tensors as safetensors");
    for (const zip_kind *one = ZIP_KINDS; !r->has_matrices && e->remedy[0] == '\0'; one++) {
        if (holds_name(&r->zip, one->begins))
            err_remedy(e, "%s", one->remedy);
    }
    if (!r->how->keeps_unread || !r->has_matrices)
        return false;
    /* It is kept as unread, unless a matrix has its name: then the name would be there twice. */
    char name[ZIP_MOST_NAME + sizeof ENDING];
    memcpy(name, m->name, m->name_length);
    memcpy(name + m->name_length, ENDING, sizeof ENDING);
    if (zip_find(&r->zip, name, m->name_length + strlen(ENDING)) != NULL)
        return false;
    err missing = {0};
    entry *to = bundle_add(out, m->name, m->name_length, at, &missing);
    if (missing.is_set)
        *e = missing;
    return to != NULL && read_leaves(r->how, to, e);
}

/* Places in a matrix count from its member: "w.npz:wq: byte 128". */
static bool read_member(reader *r, const zip_member *m, bundle *out, err *e)
{
    if (!ends_with(m, ENDING))
        return pass_other(r, m, out, e);
    const char *file = r->how->file;
    place at = {.file = file, .byte = m->header, .has_byte = true};
    key_kind kind;
    entry *to = NULL;
    char *name = mem_copy_text(m->name, m->name_length - strlen(ENDING), e);
    bool done = name != NULL && stored_matrix_add(r->how, "NPZ", name, &at, out, &to, &kind, e);
    if (to != NULL) {
        /* If one matrix of the file is wanted, the file is called "w.npz:wq" already. */
        stored_matrix matrix;
        text label = {0};
        size_t length = strlen(file), wanted = strlen(name);
        bool has_name = length > wanted && file[length - wanted - 1] == ':' &&
                        strcmp(file + length - wanted, name) == 0;
        text_add_string(&label, file);
        if (!has_name)
            text_add_format(&label, ":%s", name);
        const place begin = {.file = text_string(&label), .has_byte = true};
        bool can_unpack = text_ok(&label, e) && zip_can_unpack(&r->zip, m, e);
        const char *bytes = can_unpack ? zip_unpack(&r->zip, m, r->left, &r->unpacked, e) : NULL;
        bool is_damaged = can_unpack && bytes == NULL;
        done = (bytes != NULL && find_matrix(bytes, m->size, &begin, &matrix, e) &&
                stored_matrix_read(&matrix, kind, r->how, to, e)) ||
               (!is_damaged && read_leaves(r->how, to, e));
        text_free(&label);
        /* Unpacked bytes count against the limit until the whole file is read. */
        r->left -= r->unpacked.length;
        text_free(&r->unpacked);
    }
    mem_free(name);
    return done;
}

bool npz_probe(const char *bytes, size_t length)
{
    /* A zip begins with a member or, if it has none, with its end record. */
    return length >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

bool npz_read(const char *bytes, size_t length, const read_options *how, bundle *out, err *e)
{
    reader r = {.how = how, .left = how->most_bytes == 0 ? SIZE_MAX : how->most_bytes};
    bool done = zip_open(&r.zip, how->file, bytes, length, e);
    for (size_t i = 0; done && i < r.zip.count; i++)
        r.has_matrices = r.has_matrices || ends_with(&r.zip.member[i], ENDING);
    for (size_t i = 0; done && i < r.zip.count; i++)
        done = read_member(&r, &r.zip.member[i], out, e);
    zip_close(&r.zip);
    return read_end(out, done);
}

/* ---- writing ---- */

enum { MOST_NAME = 4096 - sizeof ".npy" };

/* NumPy's name for a matrix without one. */
static const char UNNAMED[] = "arr_0";

static bool write_member(zip_writer *w, const entry *one, err *e)
{
    const tensor *t = &one->tensor;
    text header = {0}, name = {0};
    npy_header_write(&header, t);
    text_add_format(&name, "%s.npy", write_name(one, UNNAMED));
    bool done = text_ok(&header, e) && text_ok(&name, e);
    if (done) {
        /* The checksum comes before the bytes, so they are read twice. */
        uLong crc = crc32_z(0, (const Bytef *)text_string(&header), header.length);
        element_bytes b = {.of = tensor_view_of(t)};
        while (element_bytes_next(&b))
            crc = crc32_z(crc, (const Bytef *)b.run, b.length);
        uint64_t size = header.length + (uint64_t)tensor_count(t) * dtype_size(t->type);
        zip_writer_add(w, text_string(&name), size, (uint32_t)crc);
        text_add(sink_text(w->out), text_string(&header), header.length);
        done = element_bytes_write(t, w->out, e);
    }
    text_free(&header);
    text_free(&name);
    return done;
}

bool npz_write(const bundle *result, const write_options *how, sink *out, err *e)
{
    if (how->header != NULL)
        return err_set(e, "NPZ has no place for what --header says");
    for (size_t i = 0; i < result->count; i++) {
        const entry *one = &result->entry[i];
        size_t length = strlen(one->name);
        if (length > MOST_NAME)
            return err_at(e, &one->at, "a name in a NPZ has at most %d bytes, '%.40s…' has %zu",
                          MOST_NAME, one->name, length);
    }
    if (!write_check_unnamed(result, UNNAMED, e) || !element_bytes_check(result, "NPZ", e))
        return false;
    zip_writer w = zip_writer_of(out);
    bool done = true;
    for (size_t i = 0; done && i < result->count; i++)
        done = write_member(&w, &result->entry[i], e);
    return zip_writer_close(&w, e) && done && text_ok(sink_text(out), e);
}
