/* A register as plain C, the definition of what the others compute: 16 bytes, which every machine
 * has or imitates, and which gcc keeps in registers, where an array of lanes would go through
 * memory. NEON has the same, and instructions of its own for some. */
#ifndef SELFATTN_KERNELS_WIDE_WIDE_PLAIN_H
#define SELFATTN_KERNELS_WIDE_WIDE_PLAIN_H

typedef real lanes __attribute__((vector_size(16)));
typedef double double_lanes __attribute__((vector_size(16)));

/* Numbers of float32 that fill a register of float64. */
static inline double_lanes lanes_widened(const float *from)
{
    return (double_lanes){(double)from[0], (double)from[1]};
}

static inline lanes lanes_if_less(lanes a, lanes b, lanes yes, lanes no)
{
    typedef real_bits bits __attribute__((vector_size(16)));
    bits is_less = (bits)(a < b); /* all bits, or none */
    return (lanes)((is_less & (bits)yes) | (~is_less & (bits)no));
}

/* The register tile of a product, and of exponentials: vectors side by side. */
#if defined(WIDE_NEON)
#include <arm_neon.h>

/* 6 × 1 accumulators of four registers, four of b, and broadcasts: 29 of 32 registers. */
enum { TILE_VECTORS = 1, EXP_VECTORS = 2 };

static inline lanes lanes_fma(lanes a, lanes b, lanes c)
{
#if defined(REAL_IS_F64)
    return vfmaq_f64(c, a, b);
#else
    return vfmaq_f32(c, a, b);
#endif
}

/* NEON's own maximum gives NaN where either is NaN; the definition gives b. */
static inline lanes lanes_max(lanes a, lanes b)
{
    return lanes_if_less(b, a, a, b);
}
#else
enum { TILE_VECTORS = 1, EXP_VECTORS = 1 };

static inline lanes lanes_fma(lanes a, lanes b, lanes c)
{
    for (size_t l = 0; l < sizeof a / sizeof a[0]; l++)
        c[l] = fused(a[l], b[l], c[l]);
    return c;
}

static inline lanes lanes_max(lanes a, lanes b)
{
    for (size_t l = 0; l < sizeof a / sizeof a[0]; l++)
        b[l] = a[l] > b[l] ? a[l] : b[l];
    return b;
}
#endif

#endif
