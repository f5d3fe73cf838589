/* From the weights to the output, with rounding by hand between. */
#include "ref/ref_parts.h"

#include <math.h>
#include <stdlib.h>

/* ---- rounding by hand ---- */

/* A weight in units of the last decimal kept: `whole` of them and a rest in 0 … 1, as the exact sum
 * rest + lost. */
typedef struct units {
    long double whole, rest, lost;
} units;

static units units_of(double weight, long double per_one)
{
    long double product = (long double)weight * per_one;
    long double lost = fmal((long double)weight, per_one, -product), whole = floorl(product);
    if (product == whole && lost < 0)
        return (units){whole - 1, 1, lost};
    return (units){whole, product - whole, lost};
}

/* Half or more; the sign of a sum of two numbers is never lost to rounding. */
static bool rounds_up(const ref_problem *p, const units *u)
{
    long double above = (u->rest - 0.5L) + u->lost;
    return ref_makes(p, "ties") ? above > 0 : above >= 0;
}

static bool is_larger(const units *a, const units *b)
{
    return (a->rest - b->rest) + (a->lost - b->lost) > 0;
}

/* Hands out the units that the row lacks, one each, to the largest rests; of equals to the earlier
 * key. */
static void hand_out(const ref_problem *p, units *row, size_t n, long double missing)
{
    for (; missing >= 1; missing--) {
        size_t best = n;
        for (size_t j = 0; j < n; j++) {
            bool wins = best == n || is_larger(&row[j], &row[best]);
            bool ties = best < n && !is_larger(&row[best], &row[j]);
            if (row[j].rest >= 0 && (wins || (ref_makes(p, "remainders") && ties)))
                best = j;
        }
        if (best == n)
            return;
        row[best].whole++;
        row[best].rest = -1; /* has had its unit */
    }
}

/* Rows of zeros stay. */
static void keep_sum(const ref_problem *p, units *row, size_t n, long double per_one)
{
    long double whole = 0;
    bool has_any = false;
    for (size_t j = 0; j < n; j++) {
        whole += row[j].whole;
        has_any = has_any || row[j].whole + row[j].rest + row[j].lost > 0;
    }
    if (has_any)
        hand_out(p, row, n, per_one - whole);
}

void ref_compute_rounded(const ref_problem *p, const double *weights, ref_result *r)
{
    const ref_sizes *s = &r->sizes;
    if (p->round_decimals < 0)
        return;
    ref_number *out = ref_stage_new(r, REF_STAGE_ROUNDED, "rounded", "bhq", s->n_k);
    long double per_one = powl(10, p->round_decimals);
    units *row = ref_alloc(s->n_k, sizeof row[0]);
    for (size_t i = 0; i < s->b * s->h * s->n_q; i++) {
        for (size_t j = 0; j < s->n_k; j++)
            row[j] = units_of(*weights++, per_one);
        if (p->round_keeps_sum)
            keep_sum(p, row, s->n_k, per_one);
        for (size_t j = 0; j < s->n_k; j++) {
            bool up = !p->round_keeps_sum && rounds_up(p, &row[j]);
            *out++ = number_rounded(ref_precision(p), (row[j].whole + (up ? 1 : 0)) / per_one, 2);
        }
    }
    free(row);
}

/* ---- values ---- */

static void compute_weighted(const ref_problem *p, ref_result *r, const ref_number *weight)
{
    const ref_sizes *s = &r->sizes;
    ref_number *to = ref_stage_new(r, REF_STAGE_WEIGHTED, "weighted", "bhqk", s->d_v);
    for (size_t b = 0; b < s->b; b++)
        for (size_t head = 0; head < s->h; head++) {
            const ref_number *v = r->v + (b * s->g + ref_kv_head(p, s, head)) * s->n_k * s->d_v;
            for (size_t i = 0; i < s->n_q; i++)
                for (size_t j = 0; j < s->n_k; j++, weight++)
                    for (size_t column = 0; column < s->d_v; column++)
                        *to++ = number_multiply(ref_precision(p), *weight, v[j * s->d_v + column]);
        }
}

/* attended[i] = Σ_j weights[i,j]·v[j] */
static void compute_attended(const ref_problem *p, ref_result *r, const ref_number *weight)
{
    const ref_sizes *s = &r->sizes;
    ref_number *to = ref_stage_new(r, REF_STAGE_ATTENDED, "attended", "bhq", s->d_v);
    for (size_t b = 0; b < s->b; b++)
        for (size_t head = 0; head < s->h; head++) {
            const ref_number *v = r->v + (b * s->g + ref_kv_head(p, s, head)) * s->n_k * s->d_v;
            for (size_t i = 0; i < s->n_q; i++, weight += s->n_k)
                for (size_t column = 0; column < s->d_v; column++) {
                    ref_number sum = number_exact(0);
                    for (size_t j = 0; j < s->n_k; j++)
                        sum =
                            number_chain(ref_precision(p), sum, weight[j], v[j * s->d_v + column]);
                    *to++ = sum;
                }
        }
}

/* ---- heads side by side, and Wo ---- */

/* context[b][i][head][column] out of attended[b][head][i][column] */
static ref_number context_element(const ref_result *r, size_t b, size_t i, size_t head,
                                  size_t column)
{
    const ref_sizes *s = &r->sizes;
    size_t at = ((b * s->h + head) * s->n_q + i) * s->d_v + column;
    return r->stage[REF_STAGE_ATTENDED].at[at];
}

/* The context, and bo where it is given */
static ref_number unjoined(const ref_problem *p, const ref_result *r, const ref_array *bo, size_t b,
                           size_t i, size_t head, size_t column)
{
    ref_number one = context_element(r, b, i, head, column);
    if (bo == NULL || bo->at == NULL)
        return one;
    ref_number addend = number_exact(bo->at[head * r->sizes.d_v + column]);
    return number_add(ref_precision(p), one, addend);
}

/* Heads stay apart where q was given so. */
static void compute_unjoined(const ref_problem *p, ref_result *r, ref_stage_id id, const char *name,
                             const ref_array *bo)
{
    const ref_sizes *s = &r->sizes;
    bool keeps_apart = p->in[REF_Q].at != NULL && p->in[REF_Q].rank == 4;
    ref_number *to = keeps_apart ? ref_stage_new(r, id, name, "bhq", s->d_v)
                                 : ref_stage_new(r, id, name, "bq", s->h * s->d_v);
    for (size_t b = 0; b < s->b; b++)
        for (size_t head = 0; head < s->h; head++)
            for (size_t i = 0; i < s->n_q; i++)
                for (size_t column = 0; column < s->d_v; column++) {
                    size_t apart = ((b * s->h + head) * s->n_q + i) * s->d_v + column;
                    size_t side_by_side = ((b * s->n_q + i) * s->h + head) * s->d_v + column;
                    to[keeps_apart ? apart : side_by_side] = unjoined(p, r, bo, b, i, head, column);
                }
}

/* 3-D: h × d_v × m_out */
size_t ref_wo_index(const ref_problem *p, const ref_sizes *s, size_t head, size_t row,
                    size_t column)
{
    size_t across = ref_makes(p, "concat") ? row * s->h + head : head * s->d_v + row;
    if (ref_word_is(p->layout, "out-in"))
        return column * s->h * s->d_v + across;
    return across * s->m_out + column;
}

ref_number ref_wo_element(const ref_problem *p, const ref_sizes *s, size_t head, size_t row,
                          size_t column)
{
    return number_exact(p->in[REF_WO].at[ref_wo_index(p, s, head, row, column)]);
}

/* context·Wo + bo */
static ref_number joined(const ref_problem *p, const ref_result *r, size_t b, size_t i,
                         size_t column)
{
    const ref_sizes *s = &r->sizes;
    const ref_array *bo = &p->in[REF_BO];
    ref_number sum = number_exact(0);
    for (size_t head = 0; head < s->h; head++)
        for (size_t row = 0; row < s->d_v; row++)
            sum = number_chain(ref_precision(p), sum, context_element(r, b, i, head, row),
                               ref_wo_element(p, s, head, row, column));
    if (bo->at == NULL)
        return sum;
    return number_add(ref_precision(p), sum, number_exact(bo->at[column]));
}

static void compute_joined(const ref_problem *p, ref_result *r)
{
    const ref_sizes *s = &r->sizes;
    ref_number *to = ref_stage_new(r, REF_STAGE_OUTPUT, "output", "bq", s->m_out);
    for (size_t b = 0; b < s->b; b++)
        for (size_t i = 0; i < s->n_q; i++)
            for (size_t column = 0; column < s->m_out; column++)
                *to++ = joined(p, r, b, i, column);
}

void ref_compute_output(const ref_problem *p, ref_result *r)
{
    const ref_stage *rounded = &r->stage[REF_STAGE_ROUNDED];
    const ref_number *weight = rounded->at != NULL ? rounded->at : r->stage[REF_STAGE_WEIGHTS].at;
    compute_weighted(p, r, weight);
    compute_attended(p, r, weight);
    compute_unjoined(p, r, REF_STAGE_CONTEXT, "context", NULL);
    if (p->in[REF_WO].at != NULL)
        compute_joined(p, r);
    else
        compute_unjoined(p, r, REF_STAGE_OUTPUT, "output", &p->in[REF_BO]);
}
