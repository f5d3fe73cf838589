/* The bits of a number as IEEE 754 lays them out, and back. */
#ifndef SELFATTN_BASE_FLOAT_BITS_H
#define SELFATTN_BASE_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t float32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint64_t float64_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float32_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double float64_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The top bit of the result says whether a number is infinite or NaN: its exponent is all ones, and
 * adding one to it carries into that bit. */
static inline uint32_t float32_past_range(float value)
{
    return (float32_bits(value) & 0x7fffffffu) + 0x00800000u;
}

static inline uint64_t float64_past_range(double value)
{
    return (float64_bits(value) & ~((uint64_t)1 << 63)) + ((uint64_t)1 << 52);
}

#endif
