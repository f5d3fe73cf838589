/* The additive score: c[i][j] = Σ_p va[p]·tanh((q[i][p] + k[j][p]) + ba[p]), one chain of fused
 * multiply-adds from +0. */
#include "kernels/wide/tangent.h"

static const real *row_of(const tensor *t, size_t row)
{
    return (const real *)t->data + t->stride[0] * (ptrdiff_t)row;
}

static real score_of(const real *q, ptrdiff_t q_stride, const real *k, ptrdiff_t k_stride,
                     const real *va, const real *ba, size_t width)
{
    real sum = 0;
    for (size_t p = 0; p < width; p++) {
        real both = q[q_stride * (ptrdiff_t)p] + k[k_stride * (ptrdiff_t)p];
        sum = fused(va[p], tanh_of(both + ba[p]), sum);
    }
    return sum + (real)0;
}

void KERNEL(additive)(const tensor *q, const tensor *k, const void *va, const void *ba, tensor *c)
{
    for (size_t i = 0; i < q->size[0]; i++) {
        real *scores = (real *)c->data + c->stride[0] * (ptrdiff_t)i;
        for (size_t j = 0; j < k->size[0]; j++)
            scores[j] = score_of(row_of(q, i), q->stride[1], row_of(k, j), k->stride[1], va, ba,
                                 q->size[1]);
    }
}
