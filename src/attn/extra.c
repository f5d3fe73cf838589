#include "attn/extra.h"

#include <string.h>

/* A number of either type, where kernels look for one. */
typedef union number {
    float f32[2];
    double f64[2];
} number;

static const void *sink_of(const plan *p, size_t head)
{
    return (const char *)p->sinks.data + head * dtype_size(p->type);
}

static void exponent_of_sink(const plan *p, size_t head, const void *maximum, number *term)
{
    number sum;
    p->with->row_exponent(sink_of(p, head), 1, maximum, term, &sum);
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

void extra_add_to_sum(const plan *p, size_t head, const void *maximum, void *sum)
{
    number term;
    if (p->sinks.data == NULL)
        return;
    exponent_of_sink(p, head, maximum, &term);
    p->with->add(sum, 1, &term, 0, sum);
}

double extra_sink_term(const plan *p, size_t head, double maximum)
{
    number of_row, term;
    tensor at = {.type = p->type, .data = &of_row}, result = {.type = p->type, .data = &term};
    tensor_set(&at, NULL, maximum);
    exponent_of_sink(p, head, &of_row, &term);
    return tensor_get(&result, NULL);
}
