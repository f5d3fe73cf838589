/* Element by element: filling, adding, weighing, gating, each one rounding; judging. */
#include "kernels/wide/wide.h"

void KERNEL(fill)(void *out, size_t n, double value)
{
    real *to = out;
    wide all = wide_set((real)value);
    for (size_t j = 0; j < n; j += LANES)
        wide_store_some(to + j, all, n - j);
}

void KERNEL(times)(const void *x, size_t n, const void *y, void *out)
{
    const real *from = x, *factor = y;
    real *to = out;
    for (size_t j = 0; j < n; j++)
        to[j] = from[j] * factor[j];
}

void KERNEL(add)(const void *x, size_t n, const void *b, ptrdiff_t stride, void *out)
{
    const real *from = x, *addend = b;
    real *to = out;
    for (size_t j = 0; j < n; j++)
        to[j] = from[j] + addend[stride * (ptrdiff_t)j];
}

void KERNEL(recede)(const void *x, size_t n, double slope, double position, void *out)
{
    const real *from = x;
    real *to = out, by = (real)slope;
    for (size_t j = 0; j < n; j++) {
        real distance = (real)fabs(position - (double)j);
        to[j] = from[j] - by * distance;
    }
}

void KERNEL(weigh)(const void *x, ptrdiff_t stride, size_t n, double factor, void *out)
{
    const real *from = x;
    real *to = out, by = (real)factor;
    for (size_t j = 0; j < n; j++)
        to[j] = by == 0 ? (real)0 : from[stride * (ptrdiff_t)j] * by + (real)0;
}

void KERNEL(add_to_rows)(tensor *c, const void *bias)
{
    const real *addend = bias;
    for (size_t i = 0; i < c->size[0]; i++) {
        real *row = (real *)c->data + c->stride[0] * (ptrdiff_t)i;
        for (size_t j = 0; j < c->size[1]; j++)
            row[j] += addend[j];
    }
}

bool KERNEL(is_finite)(const tensor *c)
{
    real_bits all = 0;
    for (size_t i = 0; i < c->size[0]; i++) {
        const real *row = (const real *)c->data + c->stride[0] * (ptrdiff_t)i;
        for (size_t j = 0; j < c->size[1]; j++)
            all |= past_range(row[j]);
    }
    return all >> (8 * sizeof all - 1) == 0;
}
