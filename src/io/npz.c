#include "io/npz.h"

#include "base/mem.h"
#include "io/element.h"
#include "io/npy.h"
#include "io/zip.h"
#include "io/zip_write.h"

#include <stdint.h>
#include <string.h>
#include <zlib.h>

typedef struct reader {
    const read_options *how;
    zip zip;
    bool has_matrices;
    size_t left; /* of how->most_bytes; SIZE_MAX: any number */
    text unpacked;
} reader;

static const char ENDING[] = ".npy";

/* The matrix in a member's bytes. Its places are of the member: "w.npz:wq: byte 128". */
static bool read_matrix(reader *r, const zip_member *m, key_kind kind, entry *to, err *e)
{
    stored_matrix matrix;
    text label = {0};
    /* "w.npz:wq", which the file may be called already, where that is all that is wanted of it. */
    const char *file = r->how->file;
    size_t length = strlen(file), wanted = strlen(to->name);
    bool has_name = length > wanted && file[length - wanted - 1] == ':' &&
                    strcmp(file + length - wanted, to->name) == 0;
    text_add_string(&label, file);
    if (!has_name)
        text_add_format(&label, ":%s", to->name);
    const place begin = {.file = text_string(&label), .has_byte = true};
    bool can_unpack = text_ok(&label, e) && zip_can_unpack(&r->zip, m, e);
    const char *bytes = can_unpack ? zip_unpack(&r->zip, m, r->left, &r->unpacked, e) : NULL;
    bool done = bytes != NULL && npy_find_matrix(bytes, m->size, &begin, &matrix, e) &&
                stored_matrix_read(&matrix, kind, r->how, to, e);
    bool is_damaged = can_unpack && bytes == NULL;
    text_free(&label);
    return done || (!is_damaged && read_leaves(r->how, to, e));
}

static bool ends_with(const zip_member *m, const char *ending)
{
    size_t length = strlen(ending);
    return m->name_length > length &&
           memcmp(m->name + m->name_length - length, ending, length) == 0;
}

/* What a zip is that one of its members gives away, and what to do about it. */
static const struct {
    const char *begins, *remedy;
} OTHER_ZIPS[] = {
    {"xl/", "this is a spreadsheet (xlsx): save it as CSV"},
    {"content.xml", "this is a spreadsheet (ods): save it as CSV"},
};

static const char *remedy_of_zip(const zip *z)
{
    for (size_t i = 0; i < sizeof OTHER_ZIPS / sizeof OTHER_ZIPS[0]; i++) {
        size_t length = strlen(OTHER_ZIPS[i].begins);
        for (size_t j = 0; j < z->count; j++) {
            const zip_member *m = &z->member[j];
            if (m->name_length >= length && memcmp(m->name, OTHER_ZIPS[i].begins, length) == 0)
                return OTHER_ZIPS[i].remedy;
        }
    }
    return "this zip is not a NPZ: unzip takes its files out";
}

/* A member that is not a NPY. A folder's entry is nothing; PyTorch's files are zips of pickles. */
static bool pass_other(const reader *r, const zip_member *m, bundle *out, err *e)
{
    if (m->name[m->name_length - 1] == '/' || r->how->skips_unknown)
        return true;
    place at = {.file = r->how->file, .byte = m->header, .has_byte = true};
    int length = m->name_length < 80 ? (int)m->name_length : 80;
    err_at(e, &at, "'%.*s' is not a matrix: in a NPZ, matrices end in .npy", length, m->name);
    if (ends_with(m, ".pkl"))
        err_remedy(e, "this is a pickle of PyTorch: save the tensors as safetensors");
    else if (!r->has_matrices)
        err_remedy(e, "%s", remedy_of_zip(&r->zip));
    if (!r->how->keeps_unread || !r->has_matrices)
        return false;
    /* It is kept as what was not read, unless a matrix has its name, which would be there twice. */
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

static bool read_member(reader *r, const zip_member *m, bundle *out, err *e)
{
    if (!ends_with(m, ENDING))
        return pass_other(r, m, out, e);
    place at = {.file = r->how->file, .byte = m->header, .has_byte = true};
    key_kind kind;
    bool is_wanted = false;
    char *name = mem_copy_text(m->name, m->name_length - strlen(ENDING), e);
    bool done =
        name != NULL && stored_matrix_find_kind(r->how, "NPZ", name, &at, &kind, &is_wanted, e);
    if (done && is_wanted) {
        entry *to = bundle_add(out, name, strlen(name), at, e);
        done = to != NULL && read_matrix(r, m, kind, to, e);
        /* What is unpacked counts against the limit for as long as the file is read. */
        if (r->left != SIZE_MAX)
            r->left -= r->unpacked.length;
        text_free(&r->unpacked);
    }
    mem_free(name);
    return done;
}

bool npz_probe(const char *bytes, size_t length)
{
    return zip_probe(bytes, length);
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
    text_free(&r.unpacked);
    if (!done)
        bundle_free(out);
    return done;
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
        /* The checksum stands in front of the bytes, so they are gone through twice. */
        uLong crc = crc32_z(0, (const Bytef *)text_string(&header), header.length);
        element_bytes b = element_bytes_of(t);
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
