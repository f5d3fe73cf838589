/* What of zlib the program takes, for machines for which there is none to link with (ALONE=1): bytes
 * are unpacked (RFC 1951) that have no header of their own, and are there as a whole. */
#include <stdbool.h>
#include <string.h>
#include <zlib.h>

enum { WINDOW = 1 << 15, BITS_MOST = 15, LENGTHS = 286, DISTANCES = 30, SYMBOLS = 288 };

/* A symbol's code is its place among those of as many bits, in the order of their numbers, after
 * all codes of fewer bits. */
typedef struct codes {
    unsigned short count[BITS_MOST + 1], symbol[SYMBOLS];
} codes;

struct internal_state {
    z_stream *of;
    unsigned held, held_bits; /* of a byte that was taken */
    bool is_cut;              /* there were fewer bytes than bits were asked for */
    enum { HEADER, STORED, CODED } at;
    bool is_last;            /* of the blocks, the one that is read */
    unsigned left, distance; /* bytes to be copied: from the packed ones, or so far before */
    unsigned long unpacked;
    codes lengths, distances;
    unsigned char window[WINDOW];
};
typedef struct internal_state unpacking;

/* ---- bits ---- */

static unsigned take(unpacking *u, unsigned bits)
{
    unsigned value = 0;
    for (unsigned i = 0; i < bits; i++, u->held_bits--) {
        if (u->held_bits == 0 && u->of->avail_in == 0) {
            u->is_cut = true;
            return 0;
        }
        if (u->held_bits == 0) {
            u->held = *u->of->next_in++;
            u->of->avail_in--;
            u->held_bits = 8;
        }
        value |= (u->held & 1) << i;
        u->held >>= 1;
    }
    return value;
}

/* -1: no symbol has that code. */
static int take_symbol(unpacking *u, const codes *of)
{
    unsigned code = 0, first = 0, before = 0;
    for (unsigned bits = 1; bits <= BITS_MOST; bits++) {
        code |= take(u, 1);
        if (code - first < of->count[bits])
            return of->symbol[before + code - first];
        before += of->count[bits];
        first = (first + of->count[bits]) << 1;
        code <<= 1;
    }
    return -1;
}

/* By the bits of each symbol's code. All codes must have a symbol; but one symbol alone may have
 * one bit, and none is none. */
static bool make_codes(codes *c, const unsigned char *bits, unsigned symbols, bool may_be_few)
{
    unsigned next[BITS_MOST + 2] = {0}, most = 0;
    int free_codes = 1;
    memset(c, 0, sizeof *c);
    for (unsigned i = 0; i < symbols; i++) {
        c->count[bits[i]]++;
        most = bits[i] > most ? bits[i] : most;
    }
    c->count[0] = 0;
    for (unsigned i = 1; i <= BITS_MOST; i++) {
        free_codes = 2 * free_codes - c->count[i];
        if (free_codes < 0)
            return false;
        next[i + 1] = next[i] + c->count[i];
    }
    for (unsigned i = 0; i < symbols; i++) {
        if (bits[i] > 0)
            c->symbol[next[bits[i]]++] = (unsigned short)i;
    }
    return free_codes == 0 || most == 0 || (may_be_few && most == 1);
}

/* ---- a block's beginning ---- */

static bool begin_stored(unpacking *u)
{
    u->held_bits = 0;
    u->left = take(u, 16);
    u->at = STORED;
    return u->left == (take(u, 16) ^ 0xffff);
}

static bool begin_fixed(unpacking *u)
{
    unsigned char bits[SYMBOLS];
    for (unsigned i = 0; i < SYMBOLS; i++)
        bits[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_codes(&u->lengths, bits, SYMBOLS, false);
    memset(bits, 5, 32);
    u->at = CODED;
    return make_codes(&u->distances, bits, 32, false);
}

/* 3.2.7: the bits of all codes, themselves in codes. */
static bool begin_dynamic(unpacking *u)
{
    static const unsigned char ORDER[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                          11, 4,  12, 3, 13, 2, 14, 1, 15};
    unsigned char bits[LENGTHS + DISTANCES] = {0};
    unsigned lengths = 257 + take(u, 5), distances = 1 + take(u, 5), given = 4 + take(u, 4);
    if (lengths > LENGTHS || distances > DISTANCES)
        return false;
    for (unsigned i = 0; i < given; i++)
        bits[ORDER[i]] = (unsigned char)take(u, 3);
    if (!make_codes(&u->lengths, bits, sizeof ORDER, false))
        return false;
    for (unsigned i = 0; i < lengths + distances;) {
        int symbol = take_symbol(u, &u->lengths);
        unsigned times = 1, repeated = 0;
        if (symbol < 0 || (symbol == 16 && i == 0))
            return false;
        if (symbol < 16)
            repeated = (unsigned)symbol;
        else if (symbol == 16)
            repeated = bits[i - 1], times = 3 + take(u, 2);
        else
            times = symbol == 17 ? 3 + take(u, 3) : 11 + take(u, 7);
        if (times > lengths + distances - i)
            return false;
        memset(bits + i, (int)repeated, times);
        i += times;
    }
    u->at = CODED;
    return bits[256] > 0 && make_codes(&u->lengths, bits, lengths, true) &&
           make_codes(&u->distances, bits + lengths, distances, true);
}

static bool begin_block(unpacking *u)
{
    u->is_last = take(u, 1);
    switch (take(u, 2)) {
    case 0:
        return begin_stored(u);
    case 1:
        return begin_fixed(u);
    case 2:
        return begin_dynamic(u);
    default:
        return false;
    }
}

/* ---- its bytes ---- */

static void put(unpacking *u, unsigned char byte)
{
    u->window[u->unpacked++ % WINDOW] = byte;
    *u->of->next_out++ = byte;
    u->of->avail_out--;
}

/* 3.2.5: each symbol after the first few stands for twice as many as those before it, in groups. */
static bool take_match(unpacking *u, unsigned symbol)
{
    static const unsigned short FIRST = 257, LONGEST = 285;
    unsigned i = symbol - FIRST, more = i < 8 ? 0 : i / 4 - 1;
    if (symbol > LONGEST)
        return false;
    u->left = symbol == LONGEST ? 258 : i < 8 ? 3 + i : 3 + ((4 + i % 4) << more) + take(u, more);
    int distance = take_symbol(u, &u->distances);
    if (distance < 0 || distance >= DISTANCES)
        return false;
    i = (unsigned)distance;
    more = i < 4 ? 0 : i / 2 - 1;
    u->distance = i < 4 ? 1 + i : 1 + ((2 + i % 2) << more) + take(u, more);
    return u->distance <= u->unpacked;
}

/* False where it means nothing. */
static bool go_on_coded(unpacking *u)
{
    if (u->left > 0) {
        put(u, u->window[(u->unpacked - u->distance) % WINDOW]);
        u->left--;
        return true;
    }
    int symbol = take_symbol(u, &u->lengths);
    if (symbol < 0 || u->is_cut)
        return false;
    if (symbol > 256)
        return take_match(u, (unsigned)symbol);
    if (symbol < 256)
        put(u, (unsigned char)symbol);
    else
        u->at = HEADER;
    return true;
}

static bool go_on_stored(unpacking *u)
{
    if (u->left == 0)
        u->at = HEADER;
    else
        put(u, (unsigned char)take(u, 8));
    u->left -= u->left > 0;
    return true;
}

/* ---- as zlib has them ---- */

int inflateInit2_(z_stream *s, int bits, const char *version, int size)
{
    (void)bits, (void)version, (void)size;
    s->state = s->zalloc(s->opaque, 1, sizeof *s->state);
    if (s->state == NULL)
        return Z_MEM_ERROR;
    memset(s->state, 0, sizeof *s->state);
    s->state->of = s;
    return Z_OK;
}

int inflate(z_stream *s, int flush)
{
    unpacking *u = s->state;
    bool is_well = true;
    (void)flush;
    while (is_well && !u->is_cut) {
        if (u->at == HEADER && u->is_last)
            return Z_STREAM_END;
        if (s->avail_out == 0)
            return Z_OK;
        is_well = u->at == HEADER   ? begin_block(u)
                  : u->at == STORED ? go_on_stored(u)
                                    : go_on_coded(u);
    }
    return u->is_cut ? Z_BUF_ERROR : Z_DATA_ERROR;
}

int inflateEnd(z_stream *s)
{
    s->zfree(s->opaque, s->state);
    return Z_OK;
}

uLong crc32_z(uLong crc, const Bytef *bytes, z_size_t length)
{
    static unsigned of_byte[256];
    for (unsigned i = 1; i < 256 && of_byte[255] == 0; i++) {
        of_byte[i] = i;
        for (int bit = 0; bit < 8; bit++)
            of_byte[i] = of_byte[i] >> 1 ^ (of_byte[i] & 1 ? 0xedb88320 : 0);
    }
    unsigned sum = ~(unsigned)crc;
    for (size_t i = 0; i < length; i++)
        sum = sum >> 8 ^ of_byte[(sum ^ bytes[i]) & 255];
    return (unsigned)~sum;
}
