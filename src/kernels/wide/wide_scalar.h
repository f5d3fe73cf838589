/* Wide vectors as plain C: the definition of what the others compute. */
#ifndef SELFATTN_KERNELS_WIDE_WIDE_SCALAR_H
#define SELFATTN_KERNELS_WIDE_WIDE_SCALAR_H

/* The register tile of a product: vectors side by side. */
enum { TILE_VECTORS = 1 };

typedef struct wide {
    real lane[LANES];
} wide;

static inline wide wide_set(real x)
{
    wide w;
    for (size_t l = 0; l < LANES; l++)
        w.lane[l] = x;
    return w;
}

static inline wide wide_load(const real *from)
{
    wide w;
    memcpy(w.lane, from, sizeof w.lane);
    return w;
}

static inline wide wide_load_part(const real *from, size_t count, real otherwise)
{
    wide w = wide_set(otherwise);
    memcpy(w.lane, from, count * sizeof w.lane[0]);
    return w;
}

static inline void wide_store(real *to, wide w)
{
    memcpy(to, w.lane, sizeof w.lane);
}

static inline void wide_store_part(real *to, wide w, size_t count)
{
    memcpy(to, w.lane, count * sizeof w.lane[0]);
}

static inline wide wide_add(wide a, wide b)
{
    for (size_t l = 0; l < LANES; l++)
        a.lane[l] += b.lane[l];
    return a;
}

static inline wide wide_sub(wide a, wide b)
{
    for (size_t l = 0; l < LANES; l++)
        a.lane[l] -= b.lane[l];
    return a;
}

static inline wide wide_mul(wide a, wide b)
{
    for (size_t l = 0; l < LANES; l++)
        a.lane[l] *= b.lane[l];
    return a;
}

static inline wide wide_div(wide a, wide b)
{
    for (size_t l = 0; l < LANES; l++)
        a.lane[l] /= b.lane[l];
    return a;
}

/* a·b + c, rounded once */
static inline wide wide_fma(wide a, wide b, wide c)
{
    for (size_t l = 0; l < LANES; l++)
        a.lane[l] = fused(a.lane[l], b.lane[l], c.lane[l]);
    return a;
}

/* a > b ? a : b; b where either is NaN */
static inline wide wide_max(wide a, wide b)
{
    for (size_t l = 0; l < LANES; l++)
        a.lane[l] = a.lane[l] > b.lane[l] ? a.lane[l] : b.lane[l];
    return a;
}

/* a < b ? yes : no; no where either is NaN */
static inline wide wide_if_less(wide a, wide b, wide yes, wide no)
{
    for (size_t l = 0; l < LANES; l++)
        no.lane[l] = a.lane[l] < b.lane[l] ? yes.lane[l] : no.lane[l];
    return no;
}

/* The bits of each lane, `count` places to the left. */
static inline wide wide_shift_left(wide w, int count)
{
    for (size_t l = 0; l < LANES; l++) {
        real_bits bits;
        memcpy(&bits, &w.lane[l], sizeof bits);
        bits <<= count;
        memcpy(&w.lane[l], &bits, sizeof bits);
    }
    return w;
}

#if !defined(REAL_IS_F64)
/* 16 float64 sums beside 16 float32 lanes. */
typedef struct sums {
    double lane[LANES];
} sums;

static inline sums sums_zero(void)
{
    return (sums){{0}};
}

static inline void sums_add(sums *s, wide w)
{
    for (size_t l = 0; l < LANES; l++)
        s->lane[l] += (double)w.lane[l];
}

static inline void sums_store(const sums *s, double *to)
{
    memcpy(to, s->lane, sizeof s->lane);
}
#endif

#endif
