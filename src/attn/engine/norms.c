#include "attn/engine/norms.h"

#include <math.h>

/* How a row is normed. */
typedef struct normed {
    double mean, inverse;
    double again; /* inverse / root */
} normed;

static normed of_row(const norm *by, const tensor *x)
{
    size_t n = x->size[0], first = 0;
    double begin = tensor_get(x, &first), sum = 0, squares = 0;
    for (size_t i = 0; i < n && !by->is_rms; i++)
        sum += tensor_get(x, &i) - begin;
    normed row = {.mean = by->is_rms ? 0 : begin + sum / (double)n};
    for (size_t i = 0; i < n; i++) {
        double apart = tensor_get(x, &i) - row.mean;
        squares += apart * apart;
    }
    double inside = by->eps_is_outside ? 0 : by->eps;
    double root = sqrt(squares / (double)n + inside);
    double whole = by->eps_is_outside ? root + by->eps : root;
    row.inverse = whole == 0 ? 0 : 1 / whole;
    row.again = root == 0 ? 0 : row.inverse / root;
    return row;
}

static double gain_at(const norm *by, size_t i)
{
    return by->gain.data == NULL ? 1 : tensor_get(&by->gain, &i);
}

void norm_back(const norm *by, const tensor *x, const tensor *dy, const tensor *dx)
{
    size_t n = x->size[0];
    const normed row = of_row(by, x);
    tensor to = *dx;
    double sum = 0, mean = 0;
    for (size_t i = 0; i < n; i++)
        sum += gain_at(by, i) * tensor_get(dy, &i) * (tensor_get(x, &i) - row.mean);
    sum = sum / (double)n * row.again;
    for (int pass = by->is_rms ? 1 : 0; pass < 2; pass++) {
        for (size_t i = 0; i < n; i++) {
            double apart = tensor_get(x, &i) - row.mean;
            double from = (gain_at(by, i) * tensor_get(dy, &i) - apart * sum) * row.inverse;
            if (pass == 0)
                mean += from / (double)n;
            else
                tensor_set(&to, &i, from - mean);
        }
    }
}

void norm_gain_back(const norm *by, const tensor *x, const tensor *dy, double *sum)
{
    const normed row = of_row(by, x);
    for (size_t i = 0; i < x->size[0]; i++)
        sum[i] += tensor_get(dy, &i) * ((tensor_get(x, &i) - row.mean) * row.inverse);
}
