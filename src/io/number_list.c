/* Digits are read eight at a time, in one 64-bit word, and no step depends on a guess of the sign
 * or of how many digits there are: on numbers of random length, every wrong guess would cost as
 * much as the number itself. */
#include "io/number_list.h"

#include "io/number_parts.h"
#include "io/number_read.h"

#include <string.h>

enum {
    MOST_SPACES = 32,  /* on each side of a number */
    MOST_EXPONENT = 3, /* digits of an exponent */
    LOOKED_AT = 128    /* bytes: spaces, a sign, 19 digits, a point, 24 digits, "e-123", spaces */
};

/* ±digits · 10^exponent. */
typedef struct usual {
    uint64_t digits;
    int exponent;
    size_t negative; /* 1 or 0 */
} usual;

static const uint64_t POW10_WHOLE[] = {1,      10,      100,      1000,     10000,
                                       100000, 1000000, 10000000, 100000000};

/* A value that is less than the entry of so many digits takes them without overflowing. */
static const uint64_t ROOM_FOR[] = {UINT64_MAX,        1000000000000000000, 100000000000000000,
                                    10000000000000000, 1000000000000000,    100000000000000,
                                    10000000000000,    1000000000000,       100000000000};

/* Eight characters, the first one in the lowest byte, as the values of digits: what is not a digit
 * is more than 9. */
static inline uint64_t load_eight(const char *at)
{
    uint64_t eight;
    memcpy(&eight, at, sizeof eight);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    eight = __builtin_bswap64(eight);
#endif
    return eight ^ 0x3030303030303030;
}

/* How many of the eight are digits, up to the first that is none. Adding 0x76 lifts 10 and more to
 * 0x80 and more; what it carries spoils later characters only. */
static inline int count_digits(uint64_t eight)
{
    uint64_t others = ((eight + 0x7676767676767676) | eight) & 0x8080808080808080;
    return others == 0 ? 8 : __builtin_ctzll(others) / 8;
}

/* The number that eight digits make: neighbours are joined to pairs, pairs to fours, fours to the
 * whole (Lemire, "Quickly parsing eight digits", 2018). */
static inline uint64_t join_eight(uint64_t eight)
{
    const uint64_t every_other_pair = 0x000000ff000000ff;
    uint64_t pairs = eight * 10 + (eight >> 8);
    uint64_t first = (pairs & every_other_pair) * (((uint64_t)1000000 << 32) + 100);
    uint64_t second = (pairs >> 16 & every_other_pair) * (((uint64_t)10000 << 32) + 1);
    return (first + second) >> 32;
}

/* Adds the digits at `at` after those of `value`, as many as have room, and 24 at most. Returns
 * what follows. */
static inline const char *take_digits(const char *at, uint64_t *value)
{
    uint64_t eight = load_eight(at);
    int count = count_digits(eight);
    for (int round = 0; round < 2 && count == 8 && *value < ROOM_FOR[8]; round++) {
        *value = *value * POW10_WHOLE[8] + join_eight(eight);
        at += 8;
        eight = load_eight(at);
        count = count_digits(eight);
    }
    if (count == 0 || *value >= ROOM_FOR[count])
        return at;
    /* The number that the first `count` of them make, 1 to 8: zeros take the place of the
     * others, in front. */
    *value = *value * POW10_WHOLE[count] + join_eight(eight << (64 - 8 * count));
    return at + count;
}

/* What follows the number at `at`, or NULL where none of the usual form begins there. */
static inline const char *take_usual(const char *at, usual *u)
{
    u->negative = *at == '-';
    u->exponent = 0;
    at += u->negative;
    /* "0", or digits that begin with no 0. Nearly always there is one. */
    if (!is_digit(*at))
        return NULL;
    u->digits = (uint64_t)(*at++ - '0');
    for (; is_digit(*at); at++) {
        if (u->digits == 0 || u->digits >= ROOM_FOR[1])
            return NULL;
        u->digits = u->digits * 10 + (uint64_t)(*at - '0');
    }
    if (*at == '.') {
        const char *first = at + 1;
        at = take_digits(first, &u->digits);
        u->exponent = (int)(first - at);
        if (u->exponent == 0 || is_digit(*at))
            return NULL;
    }
    if (*at != 'e' && *at != 'E')
        return at;
    bool negative = at[1] == '-';
    const char *digits = at + 1 + (negative || at[1] == '+');
    int value = 0;
    for (at = digits; is_digit(*at) && at - digits <= MOST_EXPONENT; at++)
        value = value * 10 + (*at - '0');
    u->exponent += negative ? -value : value;
    return at == digits || at - digits > MOST_EXPONENT ? NULL : at;
}

static const double SIGN[] = {1, -1};

/* Clinger's way ("How to read floating point numbers accurately", 1990): where digits and power
 * are exact in float64, one division is correctly rounded. */
static inline bool divide(const usual *u, double *value)
{
    static const double POW10_EXACT[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (u->digits > (uint64_t)1 << 53 || u->exponent > 0 || u->exponent < -22)
        return false;
    *value = SIGN[u->negative] * (double)(int64_t)u->digits / POW10_EXACT[-u->exponent];
    return true;
}

static inline bool convert_f32(const usual *u, float *to)
{
    double value;
    if (divide(u, &value)) {
        *to = (float)value;
        /* Rounding once more, to float32, does no harm unless the float64 is halfway between two
         * of them, where the number itself may lie on either side. */
        if ((float64_bits(value) & 0x1fffffff) != 0x10000000)
            return true;
    }
    uint32_t bits = number_scaled_bits_f32(u->digits, u->exponent);
    *to = (float)SIGN[u->negative] * float32_of_bits(bits);
    return bits < FLOAT32.infinity;
}

static inline bool convert_f64(const usual *u, double *to)
{
    if (divide(u, to))
        return true;
    uint64_t bits = number_scaled_bits_f64(u->digits, u->exponent);
    *to = SIGN[u->negative] * float64_of_bits(bits);
    return bits < FLOAT64.infinity;
}

static inline const char *skip_spaces(const char *at, uint64_t spaces)
{
    const char *most = at + MOST_SPACES;
    while ((unsigned char)*at <= ' ' && (spaces >> *at & 1) != 0 && at < most)
        at++;
    return at;
}

/* Reads numbers that begin before `end`, after which LOOKED_AT bytes can be looked at. Never
 * inlined: in the one place where it stands, all that it calls is. */
static __attribute__((noinline)) size_t read_until(number_list *l, const char *end, dtype type,
                                                   void *to, size_t count, size_t room)
{
    const char *at = l->at, *last = l->last;
    const char delimiter = l->delimiter;
    bool due = l->due;
    while (due && count < room && at < end) {
        usual u;
        const char *after = take_usual(skip_spaces(at, l->spaces), &u);
        if (after == NULL || !(type == DTYPE_F32 ? convert_f32(&u, (float *)to + count)
                                                 : convert_f64(&u, (double *)to + count)))
            break;
        if (*after != delimiter)
            after = skip_spaces(after, l->spaces);
        last = at;
        due = *after == delimiter;
        at = after + due;
        count++;
    }
    l->at = at;
    l->last = last;
    l->due = due;
    return count;
}

/* The end of the text, from a copy with zeros after it, which are not part of any number. */
static size_t read_rest(number_list *l, dtype type, void *to, size_t count, size_t room)
{
    char rest[2 * LOOKED_AT];
    const char *from = l->at;
    size_t length = (size_t)(l->end - from);
    memcpy(rest, from, length);
    memset(rest + length, 0, LOOKED_AT);
    number_list copy = *l;
    copy.at = copy.last = rest;
    size_t read = read_until(&copy, rest + length, type, to, count, room);
    if (!copy.due && copy.at == rest + length) { /* it may go on where the text does not */
        copy.at = copy.last;
        copy.due = true;
        read--;
    }
    if (read == count)
        return count;
    l->at = from + (copy.at - rest);
    l->last = from + (copy.last - rest);
    l->due = copy.due;
    return read;
}

size_t number_list_read(number_list *l, dtype type, void *to, size_t room)
{
    size_t count = 0;
    if (l->end - l->at > LOOKED_AT)
        count = read_until(l, l->end - LOOKED_AT, type, to, count, room);
    if (l->due && count < room && l->at < l->end && l->end - l->at <= LOOKED_AT)
        count = read_rest(l, type, to, count, room);
    return count;
}
