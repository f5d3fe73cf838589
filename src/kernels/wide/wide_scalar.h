/* Wide vectors as plain C: the definition of what the others compute.
 *
 * Lanes come in quarters of 16 bytes, vectors of the compiler's own, which every machine has or
 * imitates: gcc keeps them in registers, where an array of lanes would go through memory. */
#ifndef SELFATTN_KERNELS_WIDE_WIDE_SCALAR_H
#define SELFATTN_KERNELS_WIDE_WIDE_SCALAR_H

/* The register tile of a product: vectors side by side. */
enum { TILE_VECTORS = 1, EXP_VECTORS = 1 };

enum { QUARTERS = 4, QUARTER_LANES = LANES / QUARTERS };

typedef real quarter __attribute__((vector_size(16)));
typedef real_bits quarter_bits __attribute__((vector_size(16)));

typedef struct wide {
    quarter part[QUARTERS];
} wide;

static inline wide wide_set(real x)
{
    quarter all;
    for (size_t l = 0; l < QUARTER_LANES; l++)
        all[l] = x;
    wide w;
    for (size_t i = 0; i < QUARTERS; i++)
        w.part[i] = all;
    return w;
}

static inline wide wide_load(const real *from)
{
    wide w;
    memcpy(&w, from, sizeof w);
    return w;
}

static inline wide wide_load_part(const real *from, size_t count, real otherwise)
{
    wide w = wide_set(otherwise);
    memcpy(&w, from, count * sizeof(real));
    return w;
}

static inline void wide_store(real *to, wide w)
{
    memcpy(to, &w, sizeof w);
}

static inline void wide_store_part(real *to, wide w, size_t count)
{
    memcpy(to, &w, count * sizeof(real));
}

static inline wide wide_add(wide a, wide b)
{
    for (size_t i = 0; i < QUARTERS; i++)
        a.part[i] += b.part[i];
    return a;
}

static inline wide wide_sub(wide a, wide b)
{
    for (size_t i = 0; i < QUARTERS; i++)
        a.part[i] -= b.part[i];
    return a;
}

static inline wide wide_mul(wide a, wide b)
{
    for (size_t i = 0; i < QUARTERS; i++)
        a.part[i] *= b.part[i];
    return a;
}

static inline wide wide_div(wide a, wide b)
{
    for (size_t i = 0; i < QUARTERS; i++)
        a.part[i] /= b.part[i];
    return a;
}

/* a·b + c, rounded once */
static inline wide wide_fma(wide a, wide b, wide c)
{
    for (size_t i = 0; i < QUARTERS; i++) {
        quarter x = a.part[i], y = b.part[i], z = c.part[i];
        for (size_t l = 0; l < QUARTER_LANES; l++)
            z[l] = fused(x[l], y[l], z[l]);
        c.part[i] = z;
    }
    return c;
}

/* a > b ? a : b; b where either is NaN */
static inline wide wide_max(wide a, wide b)
{
    for (size_t i = 0; i < QUARTERS; i++) {
        quarter x = a.part[i], y = b.part[i];
        for (size_t l = 0; l < QUARTER_LANES; l++)
            y[l] = x[l] > y[l] ? x[l] : y[l];
        b.part[i] = y;
    }
    return b;
}

/* a < b ? yes : no; no where either is NaN */
static inline wide wide_if_less(wide a, wide b, wide yes, wide no)
{
    for (size_t i = 0; i < QUARTERS; i++) {
        quarter_bits is_less = (quarter_bits)(a.part[i] < b.part[i]); /* all bits, or none */
        quarter_bits then = (quarter_bits)yes.part[i], otherwise = (quarter_bits)no.part[i];
        no.part[i] = (quarter)((is_less & then) | (~is_less & otherwise));
    }
    return no;
}

/* a < b ? +0 : w; w where either is NaN */
static inline wide wide_zero_if_less(wide a, wide b, wide w)
{
    return wide_if_less(a, b, wide_set(0), w);
}

/* The bits of each lane, `count` places to the left. */
static inline wide wide_shift_left(wide w, int count)
{
    for (size_t i = 0; i < QUARTERS; i++)
        w.part[i] = (quarter)((quarter_bits)w.part[i] << (real_bits)count);
    return w;
}

#if !defined(REAL_IS_F64)
/* 16 float64 sums next to 16 float32 lanes. */
typedef struct sums {
    double lane[LANES];
} sums;

static inline sums sums_zero(void)
{
    return (sums){{0}};
}

static inline void sums_add(sums *s, const float *from)
{
    for (size_t l = 0; l < LANES; l++)
        s->lane[l] += (double)from[l];
}

static inline void sums_store(const sums *s, double *to)
{
    memcpy(to, s->lane, sizeof s->lane);
}
#endif

#endif
