/* A member's bytes: where they lie, or what inflates from them. */
#define ZLIB_CONST /* zlib does not write to what it reads */
#include "base/mem.h"
#include "io/zip.h"

#include <zlib.h>

enum { STORED = 0, DEFLATED = 8, FLAGS_ENCRYPTED = 1 | 1 << 6 | 1 << 13 };

/* APPNOTE.TXT 4.4.5, those that are in use. */
static const struct {
    unsigned method;
    const char *name;
} METHODS[] = {{1, "shrink"}, {6, "implode"}, {9, "deflate64"}, {12, "bzip2"}, {14, "lzma"},
               {93, "zstd"},  {95, "xz"},     {98, "PPMd"},     {99, "AES"}};

static bool refuse_method(const zip_member *m, const char *name, const place *at, err *e)
{
    if ((m->flags & FLAGS_ENCRYPTED) != 0)
        return err_at(e, at, "'%s' is encrypted, which is not read", name);
    const char *method = "a method without a name";
    for (size_t i = 0; i < sizeof METHODS / sizeof METHODS[0]; i++)
        method = METHODS[i].method == m->method ? METHODS[i].name : method;
    err_at(e, at, "'%s' is packed by %s (method %u), which is not read", name, method, m->method);
    return err_remedy(e, "numpy.savez and numpy.savez_compressed store and deflate");
}

/* zlib's own memory, from where all memory comes. */
static voidpf take_memory(voidpf ignored, uInt count, uInt size)
{
    size_t bytes;
    (void)ignored;
    return size_mul(count, size, &bytes) ? mem_take(bytes) : NULL;
}

static void give_memory(voidpf ignored, voidpf block)
{
    (void)ignored;
    mem_free(block);
}

/* Gives zlib room, at least BLOCK and at most one byte more than the member says it has: that one
 * shows a member that goes on. Memory grows with what is there, not with what is claimed. */
static bool give_room(z_stream *s, const zip_member *m, text *to, err *e)
{
    enum { BLOCK = 1 << 16 };
    size_t room = to->length < BLOCK ? BLOCK : to->length, left = m->size - to->length + 1;
    if (room > left)
        room = left;
    if (room > (uInt)-1)
        room = (uInt)-1;
    s->next_out = (Bytef *)text_room(to, room);
    s->avail_out = (uInt)room;
    return s->next_out != NULL || text_ok(to, e);
}

/* Inflates until the stream ends, or there is more than the member says; the last answer of
 * zlib. */
static int inflate_all(z_stream *s, const zip_member *m, const Bytef *end, text *to, err *e)
{
    int status = Z_OK;
    while (status == Z_OK && to->length <= m->size) {
        if (!give_room(s, m, to, e))
            return Z_MEM_ERROR;
        size_t room = s->avail_out;
        size_t left = (size_t)(end - s->next_in);
        s->avail_in = left > (uInt)-1 ? (uInt)-1 : (uInt)left;
        status = inflate(s, Z_NO_FLUSH);
        text_added(to, room - s->avail_out);
    }
    return status;
}

static bool inflate_member(const zip *z, const zip_member *m, const char *name, const place *at,
                           text *to, err *e)
{
    const Bytef *begin = (const Bytef *)z->bytes + m->data, *end = begin + m->packed;
    z_stream s = {.next_in = begin, .zalloc = take_memory, .zfree = give_memory};
    int status = inflateInit2(&s, -MAX_WBITS); /* no header of its own */
    if (status == Z_OK) {
        status = inflate_all(&s, m, end, to, e);
        inflateEnd(&s);
    }
    if (status == Z_MEM_ERROR)
        return mem_fail(e, sizeof s);
    size_t left = (size_t)(end - s.next_in);
    if (to->length > m->size)
        return err_at(e, at, "'%s' unpacks to more than the %zu bytes that the zip says", name,
                      m->size);
    if (status == Z_BUF_ERROR)
        return err_at(e, at, "'%s' ends in the middle of its packed bytes", name);
    if (status != Z_STREAM_END)
        return err_at(e, at, "'%s' has packed bytes that mean nothing", name);
    if (to->length < m->size)
        return err_at(e, at, "'%s' unpacks to %zu bytes, the zip says %zu", name, to->length,
                      m->size);
    return left == 0 || err_at(e, at, "'%s' has %zu bytes more than its packed ones", name, left);
}

static const char *unpack(const zip *z, const zip_member *m, const char *name, size_t most,
                          text *unpacked, err *e)
{
    place at = {.file = z->file, .byte = m->header, .has_byte = true};
    const char *bytes = z->bytes + m->data;
    if (m->method == STORED && m->size != m->packed) {
        err_at(e, &at, "'%s' is stored in %zu bytes, and is to be %zu", name, m->packed, m->size);
        return NULL;
    }
    if (m->method == DEFLATED && m->size > most) {
        err_at(e, &at, "'%s' unpacks to %zu bytes, %zu may be used", name, m->size, most);
        err_remedy(e, "--max-memory raises the limit");
        return NULL;
    }
    if (m->method == DEFLATED) {
        if (!inflate_member(z, m, name, &at, unpacked, e))
            return NULL;
        bytes = text_string(unpacked);
    }
    uint32_t crc = (uint32_t)crc32_z(0, (const Bytef *)bytes, m->size);
    if (crc == m->crc)
        return bytes;
    err_at(e, &at, "'%s' is damaged: its checksum is %08x, the zip says %08x", name, crc, m->crc);
    return NULL;
}

bool zip_can_unpack(const zip *z, const zip_member *m, err *e)
{
    place at = {.file = z->file, .byte = m->header, .has_byte = true};
    if ((m->flags & FLAGS_ENCRYPTED) == 0 && (m->method == STORED || m->method == DEFLATED))
        return true;
    char *name = mem_copy_text(m->name, m->name_length, e);
    if (name != NULL)
        refuse_method(m, name, &at, e);
    mem_free(name);
    return false;
}

const char *zip_unpack(const zip *z, const zip_member *m, size_t most, text *unpacked, err *e)
{
    char *name = zip_can_unpack(z, m, e) ? mem_copy_text(m->name, m->name_length, e) : NULL;
    text_clear(unpacked);
    const char *bytes = name == NULL ? NULL : unpack(z, m, name, most, unpacked, e);
    mem_free(name);
    return bytes;
}
