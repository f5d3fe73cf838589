/* The first lanes of a vector by way of all of them, for instruction sets that load and store no
 * part of one: included after their wide_load and wide_store. */
#ifndef SELFATTN_KERNELS_WIDE_WIDE_PART_H
#define SELFATTN_KERNELS_WIDE_WIDE_PART_H

static inline wide wide_load_part(const real *from, size_t count, real otherwise)
{
    real lanes[LANES];
    for (size_t l = 0; l < LANES; l++)
        lanes[l] = l < count ? from[l] : otherwise;
    return wide_load(lanes);
}

static inline void wide_store_part(real *to, wide w, size_t count)
{
    real lanes[LANES];
    wide_store(lanes, w);
    memcpy(to, lanes, count * sizeof lanes[0]);
}

#endif
