/* Pairs of numbers turned by angles; kernels.h states it. */
#include "kernels/wide/real.h"

/* Inlined with a constant `step`, so that the compiler can use vectors. */
static inline __attribute__((always_inline)) void
turn_pairs(const real *first, const real *second, size_t pairs, size_t step, const double *cosine,
           const double *sine, real *restrict to_first, real *restrict to_second)
{
    for (size_t p = 0; p < pairs; p++) {
        double a = (double)first[p * step], b = (double)second[p * step];
        to_first[p * step] = (real)(a * cosine[p] - b * sine[p]);
        to_second[p * step] = (real)(b * cosine[p] + a * sine[p]);
    }
}

void KERNEL(turn)(const void *x, size_t pairs, size_t step, size_t apart, const double *cosine,
                  const double *sine, void *out)
{
    const real *from = x;
    real *to = out;
    if (step == 1)
        turn_pairs(from, from + apart, pairs, 1, cosine, sine, to, to + apart);
    else
        turn_pairs(from, from + apart, pairs, 2, cosine, sine, to, to + apart);
}
