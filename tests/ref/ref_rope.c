/* Rotary positions. */
#include "ref/ref_parts.h"

#include <math.h>

ref_number ref_turn_of(long double value, long double angle)
{
    return (ref_number){value, FLOAT64.unit * (2 * fabsl(value) + 2 * angle) + FLOAT64.tiny};
}

static double position_of(const ref_problem *p, const ref_sizes *s, bool is_key, size_t b, size_t i)
{
    const ref_array *said = &p->rope_positions;
    if (said->at == NULL)
        return is_key ? (double)(s->past + i) : ref_query_position(p, s, b, i);
    size_t count = said->size[said->rank - 1], list = said->rank == 2 ? b : 0;
    return said->at[list * count + (is_key && count != s->n_q ? s->n_q + i : i)];
}

/* By so many turns of the position: 1, or −1 to turn back. */
static void turn_row(const ref_problem *p, ref_number *x, size_t width, double position,
                     long double turns)
{
    const precision *wide = &FLOAT64, *type = ref_precision(p);
    long double base = p->has_rope_base ? (long double)p->rope_base : 10000;
    bool is_interleaved = ref_word_is(p->pairing, "interleaved") != ref_makes(p, "rope");
    for (size_t pair = 0; pair < width / 2; pair++) {
        long double power = -2 * (long double)pair / (long double)width;
        long double angle = turns * (long double)position * powl(base, power);
        long double size = fabsl(angle);
        ref_number cosine = ref_turn_of(cosl(angle), size), sine = ref_turn_of(sinl(angle), size);
        if (p->rope_factor > 0) {
            cosine = number_multiply(wide, cosine, number_exact(p->rope_factor));
            sine = number_multiply(wide, sine, number_exact(p->rope_factor));
        }
        ref_number *a = x + (is_interleaved ? 2 * pair : pair);
        ref_number *b = x + (is_interleaved ? 2 * pair + 1 : pair + width / 2);
        ref_number minus = {-sine.value, sine.slip}, first = *a, second = *b;
        *a = number_add(wide, number_multiply(wide, first, cosine),
                        number_multiply(wide, second, minus));
        *b = number_add(wide, number_multiply(wide, second, cosine),
                        number_multiply(wide, first, sine));
        *a = p->is_float32 ? number_add(type, *a, number_exact(0)) : *a;
        *b = p->is_float32 ? number_add(type, *b, number_exact(0)) : *b;
    }
}

/* Queries, and the new ones of so many keys; those that are appended are zeros. */
static void turn_rows(const ref_problem *p, const ref_sizes *s, ref_number *q, ref_number *k,
                      long double turns)
{
    size_t width = p->rope_width > 0 ? p->rope_width : s->shared > 0 ? s->shared : s->d_k;
    size_t q_first = s->shared > 0 ? s->d_q - width : 0;
    size_t k_first = s->shared > 0 ? s->d_k - width : 0, n = s->n_new + s->n_k - s->own;
    for (size_t row = 0; row < s->b * s->h * s->n_q; row++)
        turn_row(p, q + row * s->d_q + q_first, width,
                 position_of(p, s, false, row / (s->h * s->n_q), row % s->n_q), turns);
    for (size_t row = 0; row < s->b * s->g * n; row++)
        if (row % n < s->n_new)
            turn_row(p, k + row * s->d_k + k_first, width,
                     position_of(p, s, true, row / (s->g * n), row % n), turns);
}

void ref_compute_turns(const ref_problem *p, ref_result *r)
{
    const ref_sizes *s = &r->sizes;
    if (!p->has_rope)
        return;
    turn_rows(p, s, r->q, r->k, 1);
    ref_keep_stage(r, &p->in[REF_Q], REF_STAGE_Q_ROPE, "q_rope", 'q', s->d_q, r->q);
    ref_keep_stage(r, &p->in[REF_K], REF_STAGE_K_ROPE, "k_rope", 'n', s->d_k, r->k);
}

void ref_turn_back(const ref_problem *p, const ref_sizes *s, ref_number *q, ref_number *k)
{
    turn_rows(p, s, q, k, ref_makes(p, "turned") ? 1 : -1);
}
