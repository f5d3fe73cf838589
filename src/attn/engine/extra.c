#include "attn/engine/extra.h"

#include <string.h>

/* A number of either type, where kernels look for one. */
typedef union number {
    float f32[2];
    double f64[2];
} number;

static tensor as_tensor(const plan *p, void *one)
{
    return (tensor){.type = p->type, .data = one};
}

static const void *sink_of(const plan *p, size_t head)
{
    return (const char *)p->sinks.data + head * dtype_size(p->type);
}

/* exp(from − maximum) */
static double exponent_of(const plan *p, const void *from, const void *maximum, void *out)
{
    row_total total;
    p->with->row_exponent(from, 1, maximum, out, &total, NULL);
    tensor t = as_tensor(p, out);
    return tensor_get(&t, NULL);
}

void extra_raise_maximum(const plan *p, size_t head, void *maximum)
{
    size_t size = dtype_size(p->type);
    number both;
    if (p->sinks.data == NULL)
        return;
    memcpy(&both, maximum, size);
    memcpy((char *)&both + size, sink_of(p, head), size);
    p->with->row_max(&both, 2, maximum);
}

/* Without loss: Knuth, The Art of Computer Programming 2, 4.2.2, theorem B. */
static void add(row_total *to, double term)
{
    double sum = to->sum + term, part = sum - to->sum;
    to->rest += (to->sum - (sum - part)) + (term - part);
    to->sum = sum;
}

void extra_exponent(const plan *p, size_t head, const void *scores, const void *maximum, void *out,
                    row_total *total)
{
    size_t size = dtype_size(p->type);
    number term;
    for (size_t i = 0; i < p->appended; i++)
        add(total,
            exponent_of(p, (const char *)scores + i * size, maximum, (char *)out + i * size));
    if (p->sinks.data != NULL)
        add(total, exponent_of(p, sink_of(p, head), maximum, &term));
}

double extra_sink_term(const plan *p, size_t head, double maximum)
{
    number of_row, term;
    tensor at = as_tensor(p, &of_row);
    tensor_set(&at, NULL, maximum);
    return exponent_of(p, sink_of(p, head), &of_row, &term);
}
