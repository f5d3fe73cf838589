#include "ref/ref_parameters.h"

#include "ref/ref_parts.h"

#include <math.h>
#include <string.h>

/* A sum for each number of what is given; NULL where it is not. */
static ref_number *sums_like(ref_result *r, ref_stage_id id, const char *name,
                             const ref_array *given)
{
    ref_stage *to = &r->stage[id];
    if (given->at == NULL)
        return NULL;
    *to = (ref_stage){.name = name, .rank = given->rank, .count = ref_count_of(given)};
    memcpy(to->size, given->size, sizeof given->size);
    return to->at = ref_alloc(to->count, sizeof to->at[0]);
}

static ref_number negative(ref_number a)
{
    return (ref_number){-a.value, a.slip};
}

/* ---- projections ---- */

typedef struct side {
    ref_input weight, bias;
    ref_stage_id weight_grad, bias_grad, made, unclipped;
    const char *weight_name, *bias_name;
} side;

static const side SIDES[] = {
    {REF_WQ, REF_BQ, REF_STAGE_WQ_GRAD, REF_STAGE_BQ_GRAD, REF_STAGE_Q_GRAD, REF_STAGE_Q_SUM_GRAD,
     "wq_grad", "bq_grad"},
    {REF_WK, REF_BK, REF_STAGE_WK_GRAD, REF_STAGE_BK_GRAD, REF_STAGE_K_GRAD, REF_STAGE_K_SUM_GRAD,
     "wk_grad", "bk_grad"},
    {REF_WV, REF_BV, REF_STAGE_WV_GRAD, REF_STAGE_BV_GRAD, REF_STAGE_V_GRAD, REF_STAGE_V_SUM_GRAD,
     "wv_grad", "bv_grad"},
};

/* What went in: rows, with positions where these were added. */
static const ref_stage *rows_of(const ref_problem *p, const ref_result *r, const side *of)
{
    const ref_array *from = of->weight == REF_WQ   ? &p->in[REF_X]
                            : of->weight == REF_WK ? ref_rows_of_keys(p)
                                                   : ref_rows_of_values(p);
    ref_stage_id own = of->weight == REF_WQ   ? REF_STAGE_X
                       : of->weight == REF_WK ? REF_STAGE_XK
                                              : REF_STAGE_XV;
    bool has_positions = from == &p->in[REF_X] && p->has_positions;
    return &r->stage[has_positions ? REF_STAGE_X_POS : own];
}

/* The same, or the latent that is made of it; normed, where it is. */
static const ref_stage *taken_by(const ref_problem *p, const ref_result *r, const side *of)
{
    bool is_q = of->weight == REF_WQ;
    return p->in[is_q ? REF_WQ_DOWN : REF_WKV_DOWN].at == NULL
               ? rows_of(p, r, of)
               : &r->stage[is_q ? REF_STAGE_Q_LATENT_NORM : REF_STAGE_KV_LATENT_NORM];
}

/* W gains x[i][row]·grad[i][column] of each row of x, and b gains grad[i][column]; without numbers
 * that keys share, which neither makes. */
static void sum_side(const ref_problem *p, ref_result *r, const side *of)
{
    const ref_sizes *s = &r->sizes;
    const precision *type = ref_precision(p);
    bool is_q = of->weight == REF_WQ, is_clipped = r->stage[of->unclipped].at != NULL;
    size_t heads = is_q ? s->h : s->g, n = is_q ? s->n_q : s->n_new,
           all = is_q || is_clipped ? n : s->n_k - s->past,
           width = is_q                   ? s->d_q
                   : of->weight == REF_WK ? s->d_k
                                          : s->d_v,
           own = of->weight == REF_WK ? width - s->shared : width;
    const ref_stage *x = taken_by(p, r, of);
    ref_number *w = sums_like(r, of->weight_grad, of->weight_name, &p->in[of->weight]),
               *b = sums_like(r, of->bias_grad, of->bias_name, &p->in[of->bias]);
    for (size_t row = 0; (w != NULL || b != NULL) && row < s->b * n; row++) {
        const ref_number *grads = r->stage[is_clipped ? of->unclipped : of->made].at +
                                  (row / n * all + row % n) * heads * width;
        for (size_t column = 0; column < heads * own; column++) {
            ref_number grad = grads[column / own * width + column % own];
            if (b != NULL)
                b[column] = number_add(type, b[column], grad);
            size_t m = w == NULL ? 0 : x->size[x->rank - 1];
            for (size_t i = 0; i < m; i++) {
                ref_number *to =
                    &w[ref_weight_index(p, &p->in[of->weight], column / own, own, i, column % own)];
                *to = number_chain(type, *to, x->at[row * m + i], grad);
            }
        }
    }
}

/* The same of what makes a latent. */
static void sum_down(const ref_problem *p, ref_result *r, bool is_query)
{
    const ref_array *in = &p->in[is_query ? REF_WQ_DOWN : REF_WKV_DOWN];
    const ref_stage *x = rows_of(p, r, &SIDES[is_query ? 0 : 1]),
                    *grad =
                        &r->stage[is_query ? REF_STAGE_Q_LATENT_GRAD : REF_STAGE_KV_LATENT_GRAD];
    ref_number *w = sums_like(r, is_query ? REF_STAGE_WQ_DOWN_GRAD : REF_STAGE_WKV_DOWN_GRAD,
                              is_query ? "wq_down_grad" : "wkv_down_grad", &in[0]),
               *b = sums_like(r, is_query ? REF_STAGE_BQ_DOWN_GRAD : REF_STAGE_BKV_DOWN_GRAD,
                              is_query ? "bq_down_grad" : "bkv_down_grad", &in[1]);
    for (size_t at = 0; w != NULL && at < grad->count; at++) {
        size_t width = grad->size[grad->rank - 1], m = x->size[x->rank - 1], column = at % width;
        if (b != NULL)
            b[column] = number_add(ref_precision(p), b[column], grad->at[at]);
        for (size_t i = 0; i < m; i++) {
            ref_number *to = &w[ref_weight_index(p, &in[0], 0, width, i, column)];
            *to = number_chain(ref_precision(p), *to, x->at[at / width * m + i], grad->at[at]);
        }
    }
}

static void sum_output(const ref_problem *p, ref_result *r)
{
    const ref_sizes *s = &r->sizes;
    const precision *type = ref_precision(p);
    const ref_array *wo = &p->in[REF_WO];
    bool is_apart = wo->at == NULL && p->in[REF_Q].at != NULL && p->in[REF_Q].rank == 4;
    size_t width = wo->at == NULL ? s->h * s->d_v : s->m_out;
    ref_number *w = sums_like(r, REF_STAGE_WO_GRAD, "wo_grad", wo),
               *b = sums_like(r, REF_STAGE_BO_GRAD, "bo_grad", &p->in[REF_BO]);
    const ref_number *grads = r->stage[REF_STAGE_OUTPUT_GRAD].at,
                     *attended = r->stage[REF_STAGE_ATTENDED].at;
    for (size_t at = 0; b != NULL && at < s->b * s->n_q * width; at++) {
        size_t column = is_apart ? at / s->d_v / s->n_q % s->h * s->d_v + at % s->d_v : at % width;
        b[column] = number_add(type, b[column], grads[at]);
    }
    for (size_t at = 0; w != NULL && at < s->b * s->h * s->n_q * s->d_v; at++) {
        size_t c = at % s->d_v, i = at / s->d_v % s->n_q, head = at / s->d_v / s->n_q % s->h,
               batch = at / s->d_v / s->n_q / s->h;
        for (size_t column = 0; column < s->m_out; column++) {
            ref_number *to = &w[ref_wo_index(p, s, head, c, column)];
            *to = number_chain(type, *to, attended[at],
                               grads[(batch * s->n_q + i) * s->m_out + column]);
        }
    }
}

/* ---- scores ---- */

/* A bias gains what each score gains that it was added to; a slope that times −distance. */
static void sum_scores(const ref_problem *p, ref_result *r)
{
    const ref_sizes *s = &r->sizes;
    const ref_number *masked = r->stage[REF_STAGE_MASKED_GRAD].at;
    const ref_array slopes = {1, {s->h}, p->slopes};
    const ref_bias *of = ref_bias_of(p);
    ref_number *bias = sums_like(r, of->grad, of->name, &p->in[of->input]),
               *slope = sums_like(r, REF_STAGE_SLOPES_GRAD, "slopes_grad", &slopes);
    for (size_t at = 0; at < s->b * s->h * s->n_q * s->n_k; at++) {
        size_t j = at % s->n_k, i = at / s->n_k % s->n_q, head = at / s->n_k / s->n_q % s->h,
               b = at / s->n_k / s->n_q / s->h;
        if (j >= s->own)
            continue;
        if (bias != NULL) {
            ref_number *to = &bias[ref_bias_index(p, s, b, head, i, j)];
            *to = number_add(ref_precision(p), *to, masked[at]);
        }
        if (slope != NULL) {
            long double apart = fabsl((long double)ref_query_position(p, s, b, i) - (long double)j);
            slope[head] = number_chain(&FLOAT64, slope[head], masked[at], number_exact(-apart));
        }
    }
}

/* A sink has a weight in each row, and no value: it gains −weight·delta. */
static void sum_sinks(const ref_problem *p, ref_result *r)
{
    const ref_sizes *s = &r->sizes;
    const ref_array *sinks = &p->in[REF_SINKS];
    ref_number *to = sums_like(r, REF_STAGE_SINKS_GRAD, "sinks_grad", sinks);
    for (size_t row = 0; to != NULL && row < s->b * s->h * s->n_q; row++) {
        size_t head = row / s->n_q % s->h;
        long double greatest = r->stage[REF_STAGE_ROW_MAX].at[row].value,
                    sum = r->stage[REF_STAGE_ROW_SUM].at[row].value;
        long double weight = sum > 0 ? expl(sinks->at[head] - greatest) / sum : 0;
        ref_number own = {weight, 1e-12L * weight};
        to[head] =
            number_chain(&FLOAT64, to[head], own, negative(r->stage[REF_STAGE_DELTA].at[row]));
    }
}

void ref_compute_parameters(const ref_problem *p, ref_result *r)
{
    for (size_t i = 0; i < sizeof SIDES / sizeof SIDES[0]; i++)
        sum_side(p, r, &SIDES[i]);
    sum_down(p, r, true);
    sum_down(p, r, false);
    sum_output(p, r);
    sum_scores(p, r);
    sum_sinks(p, r);
}
