#include "attn/engine/rows.h"

#include "kernels/logarithm.h"

#include <math.h>
#include <string.h>

/* ---- extra terms ---- */

/* A number of either type, where kernels look for one. */
typedef union numbers {
    float f32[2];
    double f64[2];
} numbers;

static const void *sink_of(const plan *p, size_t head)
{
    return (const char *)p->sinks.data + head * dtype_size(p->type);
}

/* exp(from − maximum) */
static double exponent_of(const plan *p, const void *from, const void *maximum, void *out)
{
    row_total total;
    p->with->row_exponent(from, 1, maximum, out, &total, NULL);
    return tensor_get(&(tensor){.type = p->type, .data = out}, NULL);
}

void extra_raise_maximum(const plan *p, size_t head, void *maximum)
{
    size_t size = dtype_size(p->type);
    numbers both;
    if (p->sinks.data == NULL)
        return;
    memcpy(&both, maximum, size);
    memcpy((char *)&both + size, sink_of(p, head), size);
    p->with->row_max(&both, 2, maximum);
}

/* Without loss: Knuth, The Art of Computer Programming 2, 4.2.2, theorem B. */
static void add_term(row_total *to, double term)
{
    double sum = to->sum + term, part = sum - to->sum;
    to->rest += (to->sum - (sum - part)) + (term - part);
    to->sum = sum;
}

void extra_exponent(const plan *p, size_t head, const void *scores, const void *maximum, void *out,
                    row_total *total)
{
    size_t size = dtype_size(p->type);
    numbers term;
    for (size_t i = 0; i < p->appended; i++)
        add_term(total,
                 exponent_of(p, (const char *)scores + i * size, maximum, (char *)out + i * size));
    if (p->sinks.data != NULL)
        add_term(total, exponent_of(p, sink_of(p, head), maximum, &term));
}

double extra_sink_term(const plan *p, size_t head, double maximum)
{
    numbers of_row, term;
    tensor_set(&(tensor){.type = p->type, .data = &of_row}, NULL, maximum);
    return exponent_of(p, sink_of(p, head), &of_row, &term);
}

/* ---- on request ---- */

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

void statistics_top(const tensor *weights, size_t row, size_t first, tensor *top)
{
    size_t columns = weights->size[1], best = columns;
    for (size_t t = 0; t < top->size[1]; t++) {
        /* The greatest after the one before, in the order of strength; `columns`: there is none. */
        size_t last = best;
        bool has_more = t == 0 || last < columns;
        double most = last < columns ? number_at(weights, row, last) : INFINITY, greatest = 0;
        best = columns;
        for (size_t j = 0; has_more && j < columns; j++) {
            double weight = number_at(weights, row, j);
            bool is_behind = weight < most || (weight == most && j > last);
            if (is_behind && weight > greatest) {
                greatest = weight;
                best = j;
            }
        }
        tensor_set(top, (size_t[]){row, t}, best < columns ? (double)(first + best) : -1);
    }
}

/* Sums and quotients of float32 numbers that are computed in float64 and then rounded are what
 * float32 arithmetic gives (Figueroa, "When is double rounding innocuous?", 1995), so one loop
 * serves both types. */
bool tensor_average(tensor *t, int heads, err *e)
{
    size_t size[TENSOR_MAX_RANK], index[TENSOR_MAX_RANK] = {0}, from[TENSOR_MAX_RANK];
    numbers of_type;
    tensor average, number = {.type = t->type, .data = &of_type};
    for (int axis = 0; axis < t->rank; axis++) {
        if (axis != heads)
            size[axis < heads ? axis : axis - 1] = t->size[axis];
    }
    if (!tensor_new(&average, t->type, t->rank - 1, size, e))
        return false;
    do {
        for (int axis = 0; axis < t->rank; axis++)
            from[axis] = axis < heads ? index[axis] : axis == heads ? 0 : index[axis - 1];
        double sum = tensor_get(t, from);
        for (from[heads] = 1; from[heads] < t->size[heads]; from[heads]++) {
            tensor_set(&number, NULL, sum + tensor_get(t, from));
            sum = tensor_get(&number, NULL);
        }
        tensor_set(&average, index, sum / (double)t->size[heads]);
    } while (tensor_next(&average, index));
    tensor_free(t);
    *t = average;
    return true;
}

void rows_uncap(dtype type, double most, const void *from, const void *capped, size_t n, void *to)
{
    if (type == DTYPE_F32) {
        most = (double)(float)most;
        for (size_t j = 0; j < n; j++) {
            double part = (double)((const float *)capped)[j] / most;
            ((float *)to)[j] = (float)((double)((const float *)from)[j] * (1 - part * part)) + 0;
        }
        return;
    }
    for (size_t j = 0; j < n; j++) {
        double part = ((const double *)capped)[j] / most;
        ((double *)to)[j] = ((const double *)from)[j] * (1 - part * part) + 0;
    }
}
