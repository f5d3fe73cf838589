#define ZLIB_CONST /* zlib does not write to what it reads */
#include "io/zip.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "io/stored_matrix.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Lengths of the fixed parts, by APPNOTE.TXT 4.3 and 4.5. */
enum {
    LOCAL_HEADER = 30,
    DIRECTORY_ENTRY = 46,
    END_RECORD = 22,
    END_RECORD_64 = 56,
    LOCATOR_64 = 20,
    MOST_COMMENT = 65535,
    FLAG_ENCRYPTED = 1 << 0,
    FLAG_DESCRIPTOR = 1 << 3,
    EXTRA_64 = 1
};

static const uint32_t LOCAL_SIGNATURE = 0x04034b50, ENTRY_SIGNATURE = 0x02014b50,
                      END_SIGNATURE = 0x06054b50, END_SIGNATURE_64 = 0x06064b50,
                      LOCATOR_SIGNATURE = 0x07064b50, DESCRIPTOR_SIGNATURE = 0x08074b50,
                      IN_EXTRA = 0xffffffff; /* the number stands in the zip64 extra field */

static unsigned read_16(const char *at)
{
    return (unsigned)little_read(at, 2);
}

static uint32_t read_32(const char *at)
{
    return (uint32_t)little_read(at, 4);
}

static place place_of(const zip *z, size_t offset)
{
    return (place){.file = z->file, .byte = offset, .has_byte = true};
}

/* Names are shown as far as a line goes. */
static int shown(const zip_member *m)
{
    enum { MOST = 80 };
    return (int)utf8_cut(m->name, m->name_length, MOST);
}

/* ---- the end record, which says where the directory is ---- */

typedef struct directory {
    uint64_t offset, size, count;
    size_t end; /* where the records after it begin */
} directory;

static bool find_directory(const zip *z, directory *d, err *e)
{
    /* Finds the last end record whose comment ends with the file. */
    size_t most = END_RECORD + MOST_COMMENT, first = z->length < most ? 0 : z->length - most;
    size_t end = SIZE_MAX, next = z->length < END_RECORD ? 0 : z->length - END_RECORD + 1;
    for (; end == SIZE_MAX && next > first; next--) {
        const char *p = z->bytes + next - 1;
        if (read_32(p) == END_SIGNATURE && next - 1 + END_RECORD + read_16(p + 20) == z->length)
            end = next - 1;
    }
    place at = place_of(z, end == SIZE_MAX ? z->length : end);
    if (end == SIZE_MAX) {
        err_at(e, &at, "a zip ends with its directory, and this one has none");
        return err_remedy(e, "the file may have been cut short");
    }
    const char *p = z->bytes + end;
    *d = (directory){
        .count = read_16(p + 10), .size = read_32(p + 12), .offset = read_32(p + 16), .end = end};
    if (read_16(p + 4) != read_16(p + 6) || read_16(p + 8) != d->count)
        return err_at(e, &at, "the zip is one of several disks, which are not read");
    if (d->count == 0xffff || d->size == IN_EXTRA || d->offset == IN_EXTRA) {
        /* Zip64's own end record, in front of this one. */
        size_t before = LOCATOR_64 + END_RECORD_64;
        if (end < before || read_32(z->bytes + end - LOCATOR_64) != LOCATOR_SIGNATURE)
            return err_at(e, &at, "the zip's sizes need a zip64 record, and none is there");
        uint64_t offset = little_read(z->bytes + end - LOCATOR_64 + 8, 8);
        if (offset > end - before || read_32(z->bytes + offset) != END_SIGNATURE_64)
            return err_at(e, &at, "the zip64 record is not where the zip says, at byte %llu",
                          (unsigned long long)offset);
        p = z->bytes + offset;
        *d = (directory){.count = little_read(p + 32, 8),
                         .size = little_read(p + 40, 8),
                         .offset = little_read(p + 48, 8),
                         .end = (size_t)offset};
    }
    return (d->offset <= d->end && d->size <= d->end - d->offset) ||
           err_at(e, &at, "the directory lies outside the file: %llu bytes at byte %llu",
                  (unsigned long long)d->size, (unsigned long long)d->offset);
}

/* ---- the directory's entries ---- */

/* Numbers that did not fit are in the zip64 field, one of the extra fields: in this order, and no
 * others. */
static bool widen(uint64_t *const number[], size_t numbers, const char *extra, size_t length)
{
    const char *from = NULL;
    size_t left = 0;
    while (from == NULL && length >= 4) {
        size_t size = read_16(extra + 2);
        if (size > length - 4)
            break;
        if (read_16(extra) == EXTRA_64) {
            from = extra + 4;
            left = size;
        }
        extra += 4 + size;
        length -= 4 + size;
    }
    for (size_t i = 0; i < numbers; i++) {
        if (*number[i] != IN_EXTRA)
            continue;
        if (from == NULL || left < 8)
            return false;
        *number[i] = little_read(from, 8);
        from += 8;
        left -= 8;
    }
    return true;
}

/* Reads the entry at *offset, and moves *offset past it. */
static bool read_entry(const zip *z, size_t *offset, size_t end, zip_member *m, err *e)
{
    place at = place_of(z, *offset);
    const char *p = z->bytes + *offset;
    size_t left = end - *offset;
    if (left < DIRECTORY_ENTRY || read_32(p) != ENTRY_SIGNATURE)
        return err_at(e, &at, "the zip's directory is damaged: no member's entry begins here");
    size_t name = read_16(p + 28), extra = read_16(p + 30), comment = read_16(p + 32);
    size_t length = DIRECTORY_ENTRY + name + extra + comment;
    if (left < length)
        return err_at(e, &at,
                      "the zip's directory is damaged: %zu bytes are left for an entry of %zu",
                      left, length);
    uint64_t size = read_32(p + 24), packed = read_32(p + 20), header = read_32(p + 42);
    uint64_t *const wide[] = {&size, &packed, &header};
    *m = (zip_member){.name = p + DIRECTORY_ENTRY,
                      .name_length = name,
                      .flags = read_16(p + 8),
                      .method = read_16(p + 10),
                      .crc = read_32(p + 16)};
    if (name == 0 || name > ZIP_MOST_NAME)
        return err_at(e, &at, "a member's name has %zu bytes; 1 to %d are read", name,
                      ZIP_MOST_NAME);
    if (memchr(m->name, '\0', name) != NULL || utf8_find_invalid(m->name, m->name + name) != NULL)
        return err_at(e, &at, "a member's name is not UTF-8");
    if (!widen(wide, 3, m->name + name, extra))
        return err_at(e, &at, "'%.*s' needs a zip64 field, and has none", shown(m), m->name);
    m->size = (size_t)size;
    m->packed = (size_t)packed;
    m->header = (size_t)header;
    *offset += length;
    return true;
}

/* ---- a member's own header ---- */

static bool disagree(const zip *z, const zip_member *m, const char *what, err *e)
{
    place at = place_of(z, m->header);
    return err_at(e, &at, "'%.*s': the %s is another one here than in the zip's directory",
                  shown(m), m->name, what);
}

/* If sizes were not known when the header was written, they follow the bytes: 4 or 8 bytes each,
 * with or without a signature. */
static bool has_descriptor(const zip *z, const zip_member *m, size_t end)
{
    size_t begin = m->data + m->packed;
    for (size_t width = 4; width <= 8; width += 4) {
        for (size_t signature = 0; signature <= 4; signature += 4) {
            const char *p = z->bytes + begin;
            if (end - begin < signature + 4 + 2 * width ||
                (signature > 0 && read_32(p) != DESCRIPTOR_SIGNATURE))
                continue;
            p += signature;
            uint64_t packed = little_read(p + 4, width), size = little_read(p + 4 + width, width);
            if (read_32(p) == m->crc && packed == m->packed && size == m->size)
                return true;
        }
    }
    return false;
}

/* `end` is where the directory begins, in front of which all members lie. */
static bool check_member(const zip *z, zip_member *m, size_t end, err *e)
{
    place at = place_of(z, m->header);
    if (m->header > end || end - m->header < LOCAL_HEADER ||
        read_32(z->bytes + m->header) != LOCAL_SIGNATURE)
        return err_at(e, &at, "'%.*s' does not begin here, where the zip's directory says",
                      shown(m), m->name);
    const char *p = z->bytes + m->header;
    size_t name = read_16(p + 26), extra = read_16(p + 28), before = LOCAL_HEADER + name + extra;
    size_t left = end - m->header;
    if (left < before || left - before < m->packed)
        return err_at(e, &at, "'%.*s' needs %zu bytes, %zu are there", shown(m), m->name, m->packed,
                      left < before ? 0 : left - before);
    m->data = m->header + before;
    if (name != m->name_length || memcmp(p + LOCAL_HEADER, m->name, name) != 0)
        return disagree(z, m, "name", e);
    if (read_16(p + 8) != m->method ||
        ((read_16(p + 6) ^ m->flags) & (FLAG_ENCRYPTED | FLAG_DESCRIPTOR)) != 0)
        return disagree(z, m, "method", e);
    /* Lengths that were checked are not read again: a file that changes meanwhile may say something
     * else then. */
    if ((m->flags & FLAG_DESCRIPTOR) != 0)
        return has_descriptor(z, m, end) || disagree(z, m, "size after it", e);
    uint64_t size = read_32(p + 22), packed = read_32(p + 18);
    uint64_t *const wide[] = {&size, &packed};
    if (read_32(p + 14) != m->crc)
        return disagree(z, m, "checksum", e);
    return (widen(wide, 2, p + LOCAL_HEADER + name, extra) && size == m->size &&
            packed == m->packed) ||
           disagree(z, m, "size", e);
}

/* ---- members next to each other ---- */

static int by_header(const void *a, const void *b)
{
    const zip_member *const *one = a, *const *other = b;
    return ((*one)->header > (*other)->header) - ((*one)->header < (*other)->header);
}

static int by_name(const void *a, const void *b)
{
    const zip_member *one = *(const zip_member *const *)a, *other = *(const zip_member *const *)b;
    size_t length = one->name_length, others = other->name_length;
    int order = memcmp(one->name, other->name, length < others ? length : others);
    return order != 0 ? order : (length > others) - (length < others);
}

static bool check_together(zip *z, err *e)
{
    const zip_member **all = mem_alloc(z->count, sizeof all[0], e);
    if (all == NULL)
        return false;
    z->by_name = all;
    for (size_t i = 0; i < z->count; i++)
        all[i] = &z->member[i];
    qsort(all, z->count, sizeof all[0], by_header);
    for (size_t i = 1; i < z->count; i++) {
        place at = place_of(z, all[i]->header);
        if (all[i]->header < all[i - 1]->data + all[i - 1]->packed)
            return err_at(e, &at, "'%.*s' begins before '%.*s' ends", shown(all[i]), all[i]->name,
                          shown(all[i - 1]), all[i - 1]->name);
    }
    qsort(all, z->count, sizeof all[0], by_name);
    for (size_t i = 1; i < z->count; i++) {
        place at = place_of(z, all[i]->header);
        if (by_name(&all[i - 1], &all[i]) == 0)
            return err_at(e, &at, "two members are called '%.*s'", shown(all[i]), all[i]->name);
    }
    return true;
}

/* ---- the whole ---- */

bool zip_open(zip *z, const char *file, const char *bytes, size_t length, err *e)
{
    directory d = {0};
    *z = (zip){.file = file, .bytes = bytes, .length = length};
    if (!find_directory(z, &d, e))
        return false;
    for (size_t offset = (size_t)d.offset, end = offset + (size_t)d.size; offset < end;) {
        zip_member *larger = mem_grow(z->member, z->count, &z->capacity, sizeof larger[0], e);
        if (larger == NULL)
            return false;
        z->member = larger;
        if (!read_entry(z, &offset, end, &larger[z->count], e) ||
            !check_member(z, &larger[z->count], (size_t)d.offset, e))
            return false;
        z->count++;
    }
    place at = place_of(z, d.end);
    if (z->count != d.count)
        return err_at(e, &at, "the zip's directory has %zu members, its end record says %llu",
                      z->count, (unsigned long long)d.count);
    return check_together(z, e);
}

const zip_member *zip_find(const zip *z, const char *name, size_t length)
{
    const zip_member wanted = {.name = name, .name_length = length}, *looked_for = &wanted;
    const zip_member **found =
        bsearch(&looked_for, z->by_name, z->count, sizeof z->by_name[0], by_name);
    return found == NULL ? NULL : *found;
}

void zip_close(zip *z)
{
    mem_free(z->by_name);
    mem_free(z->member);
    *z = (zip){0};
}

/* ---- a member's bytes: where they lie, or what inflates from them ---- */

enum { STORED = 0, DEFLATED = 8, FLAGS_ENCRYPTED = 1 | 1 << 6 | 1 << 13 };

/* The methods of APPNOTE.TXT 4.4.5 that are in use. */
static const struct {
    unsigned method;
    const char *name;
} METHODS[] = {{1, "shrink"}, {6, "implode"}, {9, "deflate64"}, {12, "bzip2"}, {14, "lzma"},
               {93, "zstd"},  {95, "xz"},     {98, "PPMd"},     {99, "AES"}};

/* Gives zlib its memory from the common account. */
static voidpf take_memory(voidpf ignored, uInt count, uInt size)
{
    (void)ignored;
    return mem_take((size_t)count * size);
}

static void give_memory(voidpf ignored, voidpf block)
{
    (void)ignored;
    mem_free(block);
}

static bool inflate_member(const zip *z, const zip_member *m, const char *name, const place *at,
                           text *to, err *e)
{
    /* zlib counts in 32 bits, and blocks of this size are large enough. */
    enum { LEAST_AT_ONCE = 1 << 16, MOST_AT_ONCE = 1 << 24 };
    const Bytef *begin = (const Bytef *)z->bytes + m->data, *end = begin + m->packed;
    z_stream s = {.next_in = begin, .zalloc = take_memory, .zfree = give_memory};
    int status = inflateInit2(&s, -MAX_WBITS); /* no header of its own */
    bool has_begun = status == Z_OK;
    /* Until the stream ends, or there is more than the member says. */
    while (status == Z_OK && to->length <= m->size) {
        /* At most one byte more than the member says it has: that byte shows a member that goes on.
         * Memory grows with the bytes that come, not with the size that is claimed. */
        size_t room = to->length < LEAST_AT_ONCE  ? LEAST_AT_ONCE
                      : to->length > MOST_AT_ONCE ? MOST_AT_ONCE
                                                  : to->length;
        size_t most = m->size - to->length + 1;
        if (room > most)
            room = most;
        s.next_out = (Bytef *)text_room(to, room);
        s.avail_out = (uInt)room;
        size_t left = (size_t)(end - s.next_in);
        s.avail_in = left > MOST_AT_ONCE ? MOST_AT_ONCE : (uInt)left;
        status = Z_MEM_ERROR;
        if (s.next_out != NULL) {
            status = inflate(&s, Z_NO_FLUSH);
            text_added(to, room - s.avail_out);
        }
    }
    if (has_begun)
        inflateEnd(&s);
    if (status == Z_MEM_ERROR)
        return mem_fail(e, sizeof s);
    size_t left = (size_t)(end - s.next_in);
    if (to->length > m->size)
        return err_at(e, at, "'%s' unpacks to more than the %zu bytes that the zip says", name,
                      m->size);
    if (status == Z_BUF_ERROR)
        return err_at(e, at, "'%s' ends in the middle of its packed bytes", name);
    if (status != Z_STREAM_END)
        return err_at(e, at, "'%s' is damaged: its compressed data cannot be unpacked", name);
    if (to->length < m->size)
        return err_at(e, at, "'%s' unpacks to %zu bytes, the zip says %zu", name, to->length,
                      m->size);
    return left == 0 || err_at(e, at, "'%s' has %zu bytes left after its packed data", name, left);
}

bool zip_can_unpack(const zip *z, const zip_member *m, err *e)
{
    place at = place_of(z, m->header);
    bool is_encrypted = (m->flags & FLAGS_ENCRYPTED) != 0;
    if (!is_encrypted && (m->method == STORED || m->method == DEFLATED))
        return true;
    int length = (int)m->name_length;
    if (is_encrypted)
        return err_at(e, &at, "'%.*s' is encrypted, which is not read", length, m->name);
    const char *method = "a method without a name";
    for (size_t i = 0; i < sizeof METHODS / sizeof METHODS[0]; i++)
        method = METHODS[i].method == m->method ? METHODS[i].name : method;
    err_at(e, &at, "'%.*s' is packed by %s (method %u), which is not read", length, m->name, method,
           m->method);
    return err_remedy(e, "numpy.savez and numpy.savez_compressed store and deflate");
}

const char *zip_unpack(const zip *z, const zip_member *m, size_t most, text *unpacked, err *e)
{
    char *name = zip_can_unpack(z, m, e) ? mem_copy_text(m->name, m->name_length, e) : NULL;
    const char *bytes = NULL;
    place at = place_of(z, m->header);
    text_clear(unpacked);
    if (name == NULL)
        return NULL;
    if (m->method == STORED && m->size != m->packed) {
        err_at(e, &at, "'%s' is stored in %zu bytes, the zip says %zu", name, m->packed, m->size);
    } else if (m->method == STORED) {
        bytes = z->bytes + m->data;
    } else if (m->size > most) {
        err_at(e, &at, "'%s' unpacks to %zu bytes, %zu may be used", name, m->size, most);
        err_remedy(e, "--max-memory raises the limit");
    } else if (inflate_member(z, m, name, &at, unpacked, e)) {
        bytes = text_string(unpacked);
    }
    uint32_t crc = bytes == NULL ? m->crc : (uint32_t)crc32_z(0, (const Bytef *)bytes, m->size);
    if (crc != m->crc) {
        err_at(e, &at, "'%s' is damaged: its checksum is %08x, the zip says %08x", name, crc,
               m->crc);
        bytes = NULL;
    }
    mem_free(name);
    return bytes;
}

/* ---- writing ---- */

enum {
    EXTRA_ALIGNMENT = 0xd935, /* what Android's zipalign pads with */
    EXTRA_HEADER = 4,
    MOST_COUNT = 0xfffe,
    FLAG_UTF8 = 1 << 11,
    FIRST_DAY = 1 << 5 | 1, /* January 1st, 1980 */
    VERSION = 20,
    VERSION_64 = 45,
    MADE_ON_UNIX = 3 << 8
};

static const uint64_t MODE = (uint64_t)0100644 << 16; /* a regular file, rw-r--r-- */

/* What a header in front of the member and its entry in the directory have in common: version to
 * length of the name. */
static void put_common(text *to, const char *name, uint64_t size, uint32_t crc, unsigned version,
                       bool is_large)
{
    const char *after = name;
    while (*after != '\0' && (unsigned char)*after < 0x80)
        after++;
    little_write(to, version, 2);
    little_write(to, *after == '\0' ? 0 : FLAG_UTF8, 2);
    little_write(to, 0, 2 + 2); /* stored; midnight */
    little_write(to, FIRST_DAY, 2);
    little_write(to, crc, 4);
    little_write(to, is_large ? IN_EXTRA : size, 4); /* packed */
    little_write(to, is_large ? IN_EXTRA : size, 4);
    little_write(to, strlen(name), 2);
}

zip_writer zip_writer_of(sink *out)
{
    return (zip_writer){.out = out, .most = IN_EXTRA - 1};
}

void zip_writer_add(zip_writer *w, const char *name, uint64_t size, uint32_t crc)
{
    bool is_large = size > w->most, is_far = w->offset > w->most;
    text *to = sink_text(w->out);
    size_t before = to->length;
    /* The extra field that aligns the data has 0 bytes, or at least its own header and the
     * alignment that it names. */
    size_t extra_64 = is_large ? EXTRA_HEADER + 16 : 0;
    uint64_t data = w->offset + LOCAL_HEADER + strlen(name) + extra_64;
    size_t padding = (size_t)((ZIP_ALIGN - data % ZIP_ALIGN) % ZIP_ALIGN);
    if (padding > 0 && padding < EXTRA_HEADER + 2)
        padding += ZIP_ALIGN;
    little_write(to, LOCAL_SIGNATURE, 4);
    put_common(to, name, size, crc, is_large ? VERSION_64 : VERSION, is_large);
    little_write(to, extra_64 + padding, 2);
    text_add_string(to, name);
    if (is_large) {
        little_write(to, EXTRA_64, 2);
        little_write(to, 16, 2);
        little_write(to, size, 8);
        little_write(to, size, 8);
    }
    if (padding > 0) {
        little_write(to, EXTRA_ALIGNMENT, 2);
        little_write(to, padding - EXTRA_HEADER, 2);
        little_write(to, ZIP_ALIGN, 2);
        for (size_t i = EXTRA_HEADER + 2; i < padding; i++)
            little_write(to, 0, 1);
    }

    text *list = &w->directory;
    size_t extra = (is_large ? (size_t)16 : 0) + (is_far ? (size_t)8 : 0);
    little_write(list, ENTRY_SIGNATURE, 4);
    little_write(list, MADE_ON_UNIX | VERSION_64, 2);
    put_common(list, name, size, crc, extra > 0 ? VERSION_64 : VERSION, is_large);
    little_write(list, extra > 0 ? EXTRA_HEADER + extra : 0, 2);
    little_write(list, 0, 2 + 2 + 2); /* no comment, first disk, no attributes */
    little_write(list, MODE, 4);
    little_write(list, is_far ? IN_EXTRA : w->offset, 4);
    text_add_string(list, name);
    if (extra > 0) {
        little_write(list, EXTRA_64, 2);
        little_write(list, extra, 2);
    }
    if (is_large) {
        little_write(list, size, 8);
        little_write(list, size, 8);
    }
    if (is_far)
        little_write(list, w->offset, 8);
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
        /* The zip64 end record, for numbers that don't fit the usual one; and the locator, which
         * says where this record is. */
        little_write(to, END_SIGNATURE_64, 4);
        little_write(to, END_RECORD_64 - 12, 8); /* after this number */
        little_write(to, MADE_ON_UNIX | VERSION_64, 2);
        little_write(to, VERSION_64, 2);
        little_write(to, 0, 8); /* the first disk, twice */
        little_write(to, w->count, 8);
        little_write(to, w->count, 8);
        little_write(to, size, 8);
        little_write(to, w->offset, 8);
        little_write(to, LOCATOR_SIGNATURE, 4);
        little_write(to, 0, 4);
        little_write(to, w->offset + size, 8);
        little_write(to, 1, 4); /* disks in all */
    }
    little_write(to, END_SIGNATURE, 4);
    little_write(to, 0, 4); /* the first disk, twice */
    little_write(to, w->count > MOST_COUNT ? MOST_COUNT + 1 : w->count, 2);
    little_write(to, w->count > MOST_COUNT ? MOST_COUNT + 1 : w->count, 2);
    little_write(to, size > w->most ? IN_EXTRA : size, 4);
    little_write(to, w->offset > w->most ? IN_EXTRA : w->offset, 4);
    little_write(to, 0, 2); /* no comment */
    text_free(&w->directory);
    return done;
}
