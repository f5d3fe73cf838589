/* Whole numbers of 128 bits, as two words: no standard C has a type for them, and compilers have
 * one on 64-bit machines alone. */
#ifndef SELFATTN_IO_UINT128_H
#define SELFATTN_IO_UINT128_H

#include <stdint.h>

typedef struct uint128 {
    uint64_t high, low;
} uint128;

static inline uint128 uint128_product(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 whole;
    whole product = (whole)a * b;
    return (uint128){(uint64_t)(product >> 64), (uint64_t)product};
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t inner = a1 * b0 + (a0 * b0 >> 32), outer = a0 * b1 + (uint32_t)inner;
    return (uint128){a1 * b1 + (inner >> 32) + (outer >> 32), a * b};
#endif
}

/* By 0 to 127 bits; what is shifted out is lost. */
static inline uint128 uint128_right(uint128 x, int bits)
{
    if (bits >= 64)
        return (uint128){0, x.high >> (bits - 64)};
    /* Two shifts, since none may be by 64. */
    return (uint128){x.high >> bits, x.low >> bits | x.high << 1 << (63 - bits)};
}

static inline uint128 uint128_left(uint128 x, int bits)
{
    if (bits >= 64)
        return (uint128){x.low << (bits - 64), 0};
    return (uint128){x.high << bits | x.low >> 1 >> (63 - bits), x.low << bits};
}

#endif
