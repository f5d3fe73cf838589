/* Any bytes as NPZ: what is read is written, and comes back to the same bits; and whatever the
 * bytes claim, no more is unpacked than is allowed. */
#include "fuzz/claims.h"
#include "fuzz/grown.h"

#include <zlib.h>

/* Deflate can't do better than 1032 to 1 (zlib's own notes), and half of that is allowed here. */
enum { MOST_BYTES = 1 << 21 };

static void check_there_and_back(const format *f, const bundle *first, const read_options *how)
{
    text written = written_as(f, first, '\0');
    read_options again = *how;
    again.keeps_types = true;
    again.map = NULL;
    bundle second = read_again(f, &written, &again);
    claim(first->count == second.count, "as many entries come back");
    for (size_t i = 0; i < first->count; i++)
        claim(same_entries(&first->entry[i], &second.entry[i]),
              "values come back to the same bits");
    text_free(&written);
    bundle_free(&second);
}

static size_t total_bytes(const bundle *b)
{
    size_t bytes = 0;
    for (size_t i = 0; i < b->count; i++)
        bytes += tensor_count(&b->entry[i].tensor) * dtype_size(b->entry[i].tensor.type);
    return bytes;
}

/* Nobody writes what is not read. */
static void remove_unread(bundle *b)
{
    for (size_t i = b->count; i-- > 0;) {
        if (b->entry[i].kind == ENTRY_UNREAD)
            bundle_remove(b, b->entry[i].name);
    }
}

static void check(const char *bytes, size_t length, const read_options *how)
{
    const format *f = format_by_name("npz");
    bundle first = {0};
    bool done = read_any(f, bytes, length, how, &first);
    remove_unread(&first);
    claim(total_bytes(&first) <= 8 * (MOST_BYTES + length), "no more is read than is allowed");
    if (done)
        check_there_and_back(f, &first, how);
    bundle_free(&first);
}

/* ---- inputs ---- */

static uint32_t number_at(const char *at)
{
    uint32_t number = 0;
    for (int i = 3; i >= 0; i--)
        number = number << 8 | (unsigned char)at[i];
    return number;
}

static void put_number(char *at, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        at[i] = (char)(number >> 8 * i & 255);
}

/* The checksums of a member whose bytes are others now (APPNOTE.TXT 4.3): in its own header, and in
 * those of the directory that point to it. */
static void mend_checksum(grown *g, size_t header, const char *bytes, uint32_t size)
{
    uint32_t sum = (uint32_t)crc32(0, (const Bytef *)bytes, size);
    put_number(g->data + header + 14, sum);
    for (size_t i = 0; i + 46 <= g->size; i++) {
        if (memcmp(g->data + i, "PK\1\2", 4) == 0 && number_at(g->data + i + 42) == header)
            put_number(g->data + i + 16, sum);
    }
}

/* Some bytes of a stored member are others; else nearly every input would fail at its checksum. */
static void edit(grown *g)
{
    size_t at = grown_after(g, 'P', false);
    if (at == SIZE_MAX || at + 29 > g->size)
        return;
    char *header = g->data + at - 1;
    if (memcmp(header, "PK\3\4", 4) != 0 || header[8] != 0)
        return;
    uint32_t size = number_at(header + 18);
    size_t names = (unsigned char)header[26] + (unsigned char)header[28];
    size_t begins = at - 1 + 30 + names;
    if (size == 0 || begins > g->size || size > g->size - begins)
        return;
    if (grown_pick(g, 2) == 0)
        LLVMFuzzerMutate((uint8_t *)g->data + begins, size, size);
    else
        g->data[begins + grown_pick(g, size < 128 ? size : 128)] ^= (char)(1 << grown_pick(g, 8));
    mend_checksum(g, at - 1, g->data + begins, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    mapping map = {.users = 1, .bytes = (const char *)data, .length = length};
    const read_options how[] = {
        {.file = "fuzz", .kind = KEY_MATRIX, .type = DTYPE_F32, .most_bytes = MOST_BYTES},
        {.file = "fuzz",
         .kind = KEY_EXPECTED,
         .type = DTYPE_F64,
         .allow_nonfinite = true,
         .map = &map,
         .keeps_types = true,
         .keeps_unread = true,
         .most_bytes = MOST_BYTES}};
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++)
        check((const char *)data, length, &how[i]);
    claim(map.users == 1, "every user of the file let go of it");
    return 0;
}
