/* Sinusoidal positions, added to the rows of x. */
#include "ref/ref_parts.h"

#include <math.h>

double ref_query_position(const ref_problem *p, const ref_sizes *s, size_t b, size_t i)
{
    size_t keys = p->key_lengths != NULL ? p->key_lengths[b] : s->own;
    if (ref_word_is(p->causal, "lower-right"))
        return (double)(keys + i) - (double)s->n_q;
    return (double)((p->has_offset ? p->offset : s->past) + i);
}

/* x + PE, the sum taken in float64 and rounded to the type. */
static ref_number with_wave(const ref_problem *p, double x, double position, size_t column,
                            size_t width)
{
    bool is_sine = (column % 2 == 0) != ref_makes(p, "positions");
    long double power = -(long double)(column - column % 2) / (long double)width;
    long double angle = (long double)position * powl(10000, power);
    ref_number wave = ref_turn_of(is_sine ? sinl(angle) : cosl(angle), fabsl(angle));
    ref_number sum = number_add(&FLOAT64, number_exact(x), wave);
    return p->is_float32 ? number_add(&FLOAT32, sum, number_exact(0)) : sum;
}

const ref_number *ref_compute_positions(const ref_problem *p, ref_result *r)
{
    const ref_sizes *s = &r->sizes;
    const ref_array *x = &p->in[REF_X];
    if (!p->has_positions)
        return NULL;
    ref_number *out = ref_stage_new(r, REF_STAGE_X_POS, "x_pos", "bq", s->m), *to = out;
    for (size_t b = 0; b < s->b; b++)
        for (size_t i = 0; i < s->n_q; i++)
            for (size_t column = 0; column < s->m; column++) {
                size_t row = (x->rank == 3 ? b : 0) * s->n_q + i;
                *to++ = with_wave(p, x->at[row * s->m + column], ref_query_position(p, s, b, i),
                                  column, s->m);
            }
    return out;
}
