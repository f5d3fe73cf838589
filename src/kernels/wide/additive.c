/* The additive score: c[i][j] = Σ_p va[p]·tanh((q[i][p] + k[j][p]) + ba[p]), one chain of fused
 * multiply-adds from +0. The lanes of a vector are different keys. */
#include "kernels/wide/tangent.h"

static const real *row_of(const tensor *t, size_t row)
{
    return (const real *)t->data + t->stride[0] * (ptrdiff_t)row;
}

/* Component p of the keys from `first` on; zeros behind the last. */
static wide component(const tensor *k, size_t first, size_t count, size_t p)
{
    real lane[LANES] = {0};
    for (size_t l = 0; l < count; l++)
        lane[l] = row_of(k, first + l)[k->stride[1] * (ptrdiff_t)p];
    return wide_load(lane);
}

void KERNEL(additive)(const tensor *q, const tensor *k, const void *va, const void *ba, tensor *c)
{
    const real *weight = va, *shift = ba;
    for (size_t j = 0; j < k->size[0]; j += LANES) {
        size_t count = k->size[0] - j < LANES ? k->size[0] - j : LANES;
        for (size_t i = 0; i < q->size[0]; i++) {
            wide sum = wide_zero();
            for (size_t p = 0; p < q->size[1]; p++) {
                wide query = wide_set(row_of(q, i)[q->stride[1] * (ptrdiff_t)p]);
                wide both = wide_add(query, component(k, j, count, p));
                wide bent = wide_tanh(wide_add(both, wide_set(shift[p])));
                sum = wide_fma(wide_set(weight[p]), bent, sum);
            }
            real *scores = (real *)c->data + c->stride[0] * (ptrdiff_t)i;
            wide_store_some(scores + j, wide_add(sum, wide_zero()), count);
        }
    }
}
