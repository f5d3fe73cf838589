#include "io/element_bytes.h"
#include "io/npy_header.h"
#include "io/npz.h"
#include "io/zip_write.h"

#include <string.h>
#include <zlib.h>

enum { MOST_NAME = 4096 - sizeof ".npy" };

/* NumPy's name for a matrix without one. */
static const char UNNAMED[] = "arr_0";

static bool check(const bundle *result, const write_options *how, err *e)
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
    return write_check_unnamed(result, UNNAMED, e) && element_bytes_check(result, "NPZ", e);
}

/* The checksum stands in front of the bytes, so they are gone through twice. */
static uint32_t checksum_of(const text *header, const tensor *t)
{
    uLong crc = crc32_z(0, (const Bytef *)text_string(header), header->length);
    element_bytes b = element_bytes_of(t);
    while (element_bytes_next(&b))
        crc = crc32_z(crc, (const Bytef *)b.run, b.length);
    return (uint32_t)crc;
}

static bool write_member(zip_writer *w, const entry *one, err *e)
{
    const tensor *t = &one->tensor;
    text header = {0}, name = {0};
    npy_header_write(&header, t);
    text_add_format(&name, "%s.npy", write_name(one, UNNAMED));
    bool done = text_ok(&header, e) && text_ok(&name, e);
    if (done) {
        uint64_t size = header.length + (uint64_t)tensor_count(t) * dtype_size(t->type);
        zip_writer_add(w, text_string(&name), size, checksum_of(&header, t));
        text_add(sink_text(w->out), text_string(&header), header.length);
        done = element_bytes_write(t, w->out, e);
    }
    text_free(&header);
    text_free(&name);
    return done;
}

bool npz_write(const bundle *result, const write_options *how, sink *out, err *e)
{
    if (!check(result, how, e))
        return false;
    zip_writer w = zip_writer_of(out);
    bool done = true;
    for (size_t i = 0; done && i < result->count; i++)
        done = write_member(&w, &result->entry[i], e);
    return zip_writer_close(&w, e) && done && text_ok(sink_text(out), e);
}
