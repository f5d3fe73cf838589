/* The soft cap: c·tanh(x/c) keeps scores between −c and c, and small ones nearly as they are. */
#include "kernels/wide/tangent.h"

void KERNEL(cap)(const void *x, size_t n, double most, void *out)
{
    const real *from = x;
    real *to = out;
    wide c = wide_set((real)most);
    for (size_t j = 0; j < n; j += LANES) {
        wide part = wide_div(wide_load_some(from + j, n - j, 0), c);
        wide_store_some(to + j, wide_mul(c, wide_tanh(part)), n - j);
    }
}
