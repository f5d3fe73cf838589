/* Wide vectors as plain C: the definition of what the others compute. */
#ifndef SELFATTN_KERNELS_WIDE_SCALAR_H
#define SELFATTN_KERNELS_WIDE_SCALAR_H

enum { TILE_VECTORS = 1 };

typedef struct wide {
    real lane[LANES];
} wide;

static inline wide wide_set(real x)
{
    wide w;
    for (int l = 0; l < LANES; l++)
        w.lane[l] = x;
    return w;
}

static inline wide wide_load(const real *from)
{
    wide w;
    memcpy(w.lane, from, sizeof w.lane);
    return w;
}

static inline void wide_store(real *to, wide w)
{
    memcpy(to, w.lane, sizeof w.lane);
}

static inline wide wide_load_part(const real *from, size_t count, real otherwise)
{
    wide w = wide_set(otherwise);
    memcpy(w.lane, from, count * sizeof(real));
    return w;
}

static inline void wide_store_part(real *to, wide w, size_t count)
{
    memcpy(to, w.lane, count * sizeof(real));
}

static inline wide wide_add(wide a, wide b)
{
    for (int l = 0; l < LANES; l++)
        a.lane[l] += b.lane[l];
    return a;
}

static inline wide wide_sub(wide a, wide b)
{
    for (int l = 0; l < LANES; l++)
        a.lane[l] -= b.lane[l];
    return a;
}

static inline wide wide_mul(wide a, wide b)
{
    for (int l = 0; l < LANES; l++)
        a.lane[l] *= b.lane[l];
    return a;
}

static inline wide wide_div(wide a, wide b)
{
    for (int l = 0; l < LANES; l++)
        a.lane[l] /= b.lane[l];
    return a;
}

/* a·b + c, rounded once */
static inline wide wide_fma(wide a, wide b, wide c)
{
    for (int l = 0; l < LANES; l++)
        a.lane[l] = fused(a.lane[l], b.lane[l], c.lane[l]);
    return a;
}

/* a > b ? a : b in each lane: b where either is NaN */
static inline wide wide_max(wide a, wide b)
{
    for (int l = 0; l < LANES; l++)
        a.lane[l] = a.lane[l] > b.lane[l] ? a.lane[l] : b.lane[l];
    return a;
}

/* a < b ? yes : no in each lane: no where either is NaN */
static inline wide wide_if_less(wide a, wide b, wide yes, wide no)
{
    for (int l = 0; l < LANES; l++)
        a.lane[l] = a.lane[l] < b.lane[l] ? yes.lane[l] : no.lane[l];
    return a;
}

/* 2ⁿ for whole n between the exponents of the smallest normal number and 0; whatever else gives
 * some number. */
static inline wide wide_power_of_two(wide n)
{
    for (int l = 0; l < LANES; l++) {
        real_bits bits;
        real magic = n.lane[l] + EXPONENT_MAGIC;
        memcpy(&bits, &magic, sizeof bits);
        bits <<= MANTISSA_BITS;
        memcpy(&n.lane[l], &bits, sizeof bits);
    }
    return n;
}

#endif
