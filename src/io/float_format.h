/* What the readers and writers of numbers must know of IEEE 754's float32 and float64, so that one
 * body serves both.
 *
 * A finite value is m · 2^e with m < 2^precision and e ≥ lowest; a normal one has m ≥
 * 2^(precision − 1). Its bits, without the sign, are m + (e − lowest) · 2^(precision − 1):
 * subnormals, and a carry into the next power of two, come out right by themselves, and
 * neighbouring values have neighbouring bits. */
#ifndef SELFATTN_IO_FLOAT_FORMAT_H
#define SELFATTN_IO_FLOAT_FORMAT_H

#include "base/float_bits.h"

#include <stdint.h>

typedef struct float_format {
    int precision;     /* bits of m */
    int lowest;        /* the exponent of the last bit of a subnormal */
    uint64_t infinity; /* its bits: all below are finite */
} float_format;

static const float_format FLOAT32 = {24, -149, 0x7f800000u};
static const float_format FLOAT64 = {53, -1074, 0x7ff0000000000000u};

/* m and e of the value with these bits, which are finite and without the sign. */
typedef struct float_parts {
    uint64_t m;
    int e;
} float_parts;

static inline float_parts float_split(uint64_t bits, const float_format *format)
{
    int stored = format->precision - 1;
    uint64_t hidden = (uint64_t)1 << stored, fraction = bits & (hidden - 1);
    int field = (int)(bits >> stored);
    if (field == 0)
        return (float_parts){fraction, format->lowest};
    return (float_parts){fraction | hidden, format->lowest + field - 1};
}

#endif
