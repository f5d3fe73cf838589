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
    const norm_slip slip = by->slip;
    bool has_again = slip != NORM_WITHOUT_AGAIN && slip != NORM_OF_CONSTANTS,
         has_mean = !by->is_rms && slip != NORM_WITHOUT_MEAN && slip != NORM_OF_CONSTANTS,
         is_late = slip == NORM_GAIN_LATE;
    double factor = slip == NORM_MULTIPLIED && row.inverse > 0 ? 1 / row.inverse : row.inverse;
    tensor to = *dx;
    double sum = 0, mean = 0;
    for (size_t i = 0; i < n; i++) {
        double gain = is_late ? 1 : gain_at(by, i);
        sum += gain * tensor_get(dy, &i) * (tensor_get(x, &i) - row.mean);
    }
    sum = has_again ? sum / (double)n * row.again : 0;
    for (int pass = has_mean ? 0 : 1; pass < 2; pass++) {
        for (size_t i = 0; i < n; i++) {
            double apart = tensor_get(x, &i) - row.mean, gain = is_late ? 1 : gain_at(by, i);
            double from = (gain * tensor_get(dy, &i) - apart * sum) * factor;
            if (pass == 0)
                mean += from / (double)n;
            else if (slip == NORM_PASSED_BY)
                tensor_set(&to, &i, tensor_get(dy, &i));
            else
                tensor_set(&to, &i, (from - mean) * (is_late ? gain_at(by, i) : 1));
        }
    }
}

void norm_gain_back(const norm *by, const tensor *x, const tensor *dy, double *sum)
{
    const normed row = of_row(by, x);
    for (size_t i = 0; i < x->size[0]; i++) {
        double made = (tensor_get(x, &i) - row.mean) * row.inverse;
        if (by->slip == NORM_GAIN_OF_X)
            made = tensor_get(x, &i);
        if (by->slip == NORM_GAIN_OF_Y)
            made = made * gain_at(by, i) + (by->bias.data == NULL ? 0 : tensor_get(&by->bias, &i));
        sum[i] += tensor_get(dy, &i) * made;
    }
}
