#include "attn/engine/statistics.h"

#include "kernels/logarithm.h"

#include <math.h>

static double number_at(const tensor *t, size_t row, size_t column)
{
    return tensor_get(t, (size_t[]){row, column});
}

double statistics_logsumexp(double maximum, double sum)
{
    return sum == 0 ? -INFINITY : maximum + logarithm(sum);
}

double statistics_entropy(const tensor *weights, size_t row)
{
    double sum = 0;
    for (size_t j = 0; j < weights->size[1]; j++) {
        double weight = number_at(weights, row, j);
        if (weight != 0)
            sum = fma(weight, logarithm(weight), sum);
    }
    return 0 - sum;
}

/* The column of the greatest weight after the one at `last` in the order of strength; the number
 * of columns where there is none. */
static size_t next_strongest(const tensor *weights, size_t row, size_t last)
{
    size_t columns = weights->size[1], best = columns;
    double most = last < columns ? number_at(weights, row, last) : INFINITY, greatest = 0;
    for (size_t j = 0; j < columns; j++) {
        double weight = number_at(weights, row, j);
        bool is_behind = weight < most || (weight == most && last < columns && j > last);
        if (is_behind && weight > greatest) {
            greatest = weight;
            best = j;
        }
    }
    return best;
}

void statistics_top(const tensor *weights, size_t row, size_t first, tensor *top)
{
    size_t columns = weights->size[1], found = columns;
    bool has_more = true;
    for (size_t t = 0; t < top->size[1]; t++) {
        found = has_more ? next_strongest(weights, row, found) : columns;
        has_more = found < columns;
        tensor_set(top, (size_t[]){row, t}, has_more ? (double)(first + found) : -1);
    }
}
