#include "io/zip.h"

#include <string.h>

/* APPNOTE.TXT 4.3 to 4.5. */
enum {
    LOCAL_HEADER = 30,
    EXTRA_64 = 1,
    EXTRA_ALIGNMENT = 0xd935, /* what Android's zipalign pads with */
    EXTRA_HEADER = 4,
    END_RECORD_64 = 56,
    MOST_COUNT = 0xfffe,
    FLAG_UTF8 = 1 << 11,
    FIRST_DAY = 1 << 5 | 1, /* January 1st, 1980 */
    VERSION = 20,
    VERSION_64 = 45,
    MADE_ON_UNIX = 3 << 8
};

static const uint64_t IN_EXTRA = 0xffffffff;
static const uint64_t MODE = (uint64_t)0100644 << 16; /* a regular file, rw-r--r-- */

typedef struct member {
    const char *name;
    uint64_t size, header;
    uint32_t crc;
} member;

/* The low `bytes` bytes, little-endian. */
static void put(text *to, uint64_t number, size_t bytes)
{
    char out[8];
    for (size_t i = 0; i < bytes; i++)
        out[i] = (char)(number >> 8 * i & 255);
    text_add(to, out, bytes);
}

/* What a header in front of the member and its entry in the directory have in common: version to
 * length of the name. */
static void put_common(text *to, const member *m, unsigned version, bool is_large)
{
    const char *name = m->name;
    while (*name != '\0' && (unsigned char)*name < 0x80)
        name++;
    put(to, version, 2);
    put(to, *name == '\0' ? 0 : FLAG_UTF8, 2);
    put(to, 0, 2); /* stored */
    put(to, 0, 2); /* midnight */
    put(to, FIRST_DAY, 2);
    put(to, m->crc, 4);
    put(to, is_large ? IN_EXTRA : m->size, 4); /* packed */
    put(to, is_large ? IN_EXTRA : m->size, 4);
    put(to, strlen(m->name), 2);
}

static void put_header(text *to, const member *m, bool is_large)
{
    /* The extra field that aligns the data has 0 bytes, or at least its own header and the
     * alignment that it names. */
    size_t extra_64 = is_large ? EXTRA_HEADER + 16 : 0;
    uint64_t data = m->header + LOCAL_HEADER + strlen(m->name) + extra_64;
    size_t padding = (size_t)((ZIP_ALIGN - data % ZIP_ALIGN) % ZIP_ALIGN);
    if (padding > 0 && padding < EXTRA_HEADER + 2)
        padding += ZIP_ALIGN;
    put(to, 0x04034b50, 4);
    put_common(to, m, is_large ? VERSION_64 : VERSION, is_large);
    put(to, extra_64 + padding, 2);
    text_add_string(to, m->name);
    if (is_large) {
        put(to, EXTRA_64, 2);
        put(to, 16, 2);
        put(to, m->size, 8);
        put(to, m->size, 8);
    }
    if (padding > 0) {
        put(to, EXTRA_ALIGNMENT, 2);
        put(to, padding - EXTRA_HEADER, 2);
        put(to, ZIP_ALIGN, 2);
        for (size_t i = 0; i < padding - EXTRA_HEADER - 2; i++)
            put(to, 0, 1);
    }
}

static void put_entry(text *to, const member *m, bool is_large, bool is_far)
{
    size_t extra = (is_large ? (size_t)16 : 0) + (is_far ? (size_t)8 : 0);
    put(to, 0x02014b50, 4);
    put(to, MADE_ON_UNIX | VERSION_64, 2);
    put_common(to, m, extra > 0 ? VERSION_64 : VERSION, is_large);
    put(to, extra > 0 ? EXTRA_HEADER + extra : 0, 2);
    put(to, 0, 2 + 2 + 2); /* no comment, first disk, no attributes */
    put(to, MODE, 4);
    put(to, is_far ? IN_EXTRA : m->header, 4);
    text_add_string(to, m->name);
    if (extra == 0)
        return;
    put(to, EXTRA_64, 2);
    put(to, extra, 2);
    if (is_large) {
        put(to, m->size, 8);
        put(to, m->size, 8);
    }
    if (is_far)
        put(to, m->header, 8);
}

zip_writer zip_writer_of(sink *out)
{
    return (zip_writer){.out = out, .most = IN_EXTRA - 1};
}

void zip_writer_add(zip_writer *w, const char *name, uint64_t size, uint32_t crc)
{
    const member m = {.name = name, .size = size, .header = w->offset, .crc = crc};
    bool is_large = size > w->most;
    text *to = sink_text(w->out);
    size_t before = to->length;
    put_header(to, &m, is_large);
    put_entry(&w->directory, &m, is_large, w->offset > w->most);
    w->offset += to->length - before + size;
    w->count++;
}

bool zip_writer_close(zip_writer *w, err *e)
{
    text *to = sink_text(w->out);
    uint64_t size = w->directory.length;
    bool is_large = w->count > MOST_COUNT || size > w->most || w->offset > w->most;
    bool done = text_ok(&w->directory, e);
    text_add(to, text_string(&w->directory), w->directory.length);
    if (is_large) {
        /* The record that says where the directory is when a number of it does not fit the usual
         * one; and where this record is. */
        put(to, 0x06064b50, 4);
        put(to, END_RECORD_64 - 12, 8); /* after this number */
        put(to, MADE_ON_UNIX | VERSION_64, 2);
        put(to, VERSION_64, 2);
        put(to, 0, 8); /* the first disk, twice */
        put(to, w->count, 8);
        put(to, w->count, 8);
        put(to, size, 8);
        put(to, w->offset, 8);
        put(to, 0x07064b50, 4);
        put(to, 0, 4);
        put(to, w->offset + size, 8);
        put(to, 1, 4); /* disks in all */
    }
    put(to, 0x06054b50, 4);
    put(to, 0, 4); /* the first disk, twice */
    put(to, w->count > MOST_COUNT ? MOST_COUNT + 1 : w->count, 2);
    put(to, w->count > MOST_COUNT ? MOST_COUNT + 1 : w->count, 2);
    put(to, size > w->most ? IN_EXTRA : size, 4);
    put(to, w->offset > w->most ? IN_EXTRA : w->offset, 4);
    put(to, 0, 2); /* no comment */
    text_free(&w->directory);
    return done;
}
