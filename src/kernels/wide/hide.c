/* Keys that a mask hides get −inf. */
#include "kernels/wide/real.h"

static const real HIDDEN = -(real)INFINITY;

/* The bytes lie side by side, as nearly always: the compiler widens them a vector at a time. */
static void hide_next_to_each_other(const real *x, size_t n, const unsigned char *mask, bool when,
                                    real *out)
{
    for (size_t j = 0; j < n; j++)
        out[j] = (mask[j] == 0) == when ? HIDDEN : x[j];
}

void KERNEL(hide)(const void *x, size_t n, const unsigned char *mask, ptrdiff_t stride,
                  bool hides_zeros, void *out)
{
    const real *from = x;
    real *to = out;
    if (stride == 1) {
        hide_next_to_each_other(from, n, mask, hides_zeros, to);
        return;
    }
    for (size_t j = 0; j < n; j++)
        to[j] = (mask[stride * (ptrdiff_t)j] == 0) == hides_zeros ? HIDDEN : from[j];
}
