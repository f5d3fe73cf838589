/* The two-byte floats that files store, as float32, exactly. */
#ifndef SELFATTN_TENSOR_NARROW_H
#define SELFATTN_TENSOR_NARROW_H

#include "base/float_bits.h"

/* The upper half of a float32. */
static inline float narrow_bf16(uint16_t bits)
{
    return float32_of_bits((uint32_t)bits << 16);
}

/* IEEE 754 binary16: 1 sign, 5 exponent and 10 fraction bits, exponents biased by 15. Below the
 * smallest normal number the fraction counts steps of 2⁻²⁴. The others get float32's bias of 127,
 * and infinities and NaN its largest exponent. Masks choose between these, since compilers
 * vectorise a loop only if it has no branch. */
static inline float narrow_f16(uint16_t bits)
{
    const uint32_t rebias = (uint32_t)(127 - 15) << 23;
    uint32_t sign = (uint32_t)(bits & 0x8000u) << 16, magnitude = bits & 0x7fffu;
    uint32_t small = float32_bits((float)(int32_t)magnitude * 0x1p-24f);
    uint32_t is_small = 0 - (uint32_t)(magnitude < 0x0400u);
    uint32_t is_last = 0 - (uint32_t)(magnitude >= 0x7c00u);
    uint32_t normal = (magnitude << 13) + rebias + (rebias & is_last);
    return float32_of_bits(sign | (small & is_small) | (normal & ~is_small));
}

#endif
