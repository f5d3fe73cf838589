/* q, k and v: rows times weights, or as they are given. */
#include "ref/ref_parts.h"

#include <math.h>

/* rows[b][i][column]; n × m is the same for every entry of a batch. */
static ref_number row_element(const ref_array *rows, size_t b, size_t i, size_t column)
{
    size_t n = rows->size[rows->rank - 2], m = rows->size[rows->rank - 1];
    size_t entry = rows->rank == 3 ? b : 0;
    return number_exact(rows->at[(entry * n + i) * m + column]);
}

size_t ref_weight_index(const ref_problem *p, const ref_array *w, size_t head, size_t width,
                        size_t row, size_t column)
{
    size_t matrix = w->rank == 3 ? head : 0;
    size_t across = w->rank == 3 ? column : head * width + column;
    size_t rows = w->size[w->rank - 2], columns = w->size[w->rank - 1];
    if (ref_word_is(p->layout, "out-in"))
        return (matrix * rows + across) * columns + row;
    return (matrix * rows + row) * columns + across;
}

static ref_number weight_element(const ref_problem *p, const ref_array *w, size_t head,
                                 size_t width, size_t row, size_t column)
{
    return number_exact(w->at[ref_weight_index(p, w, head, width, row, column)]);
}

/* One of q, k, v. */
typedef struct role {
    const ref_array *given, *rows, *weight, *bias;
    size_t heads, n, width;
    const ref_array *learned; /* a row after the others, where it is given */
    size_t appended;          /* and zeros after it: so many rows in all */
    const ref_number *sums;   /* the rows with positions, in their place; NULL: as they are */
    size_t shared;            /* numbers that each head ends with: the last of `whole` */
    const ref_number *latent; /* what the weight takes in place of the rows; NULL: those */
    size_t latent_width;
    const ref_number *whole; /* latent_width + shared numbers a row */
} role;

/* What a projection starts from. */
static ref_number start_element(const role *of, size_t b, size_t i, size_t column)
{
    size_t m = of->rows->size[of->rows->rank - 1];
    if (of->latent != NULL)
        return of->latent[(b * of->n + i) * of->latent_width + column];
    return of->sums == NULL ? row_element(of->rows, b, i, column)
                            : of->sums[(b * of->n + i) * m + column];
}

/* An element of an appended row. */
static ref_number appended_element(const ref_problem *p, const role *of, size_t head, size_t i,
                                   size_t column)
{
    bool is_learned = of->learned->at != NULL &&
                      i == (ref_makes(p, "appended") ? of->n + of->appended - 1 : of->n);
    return number_exact(is_learned ? of->learned->at[head * of->width + column] : 0);
}

/* x[i]·W + b at one column of one head */
static ref_number projected(const ref_problem *p, const role *of, size_t b, size_t head, size_t i,
                            size_t column)
{
    const precision *type = ref_precision(p);
    size_t own = of->width - of->shared, whole = of->latent_width + of->shared;
    size_t taken = of->latent != NULL ? of->latent_width : of->rows->size[of->rows->rank - 1];
    ref_number sum = number_exact(0);
    if (column >= own)
        sum = of->whole[(b * of->n + i) * whole + of->latent_width + column - own];
    else if (of->weight->at == NULL)
        sum = start_element(of, b, i, head * own + column);
    else
        for (size_t row = 0; row < taken; row++)
            sum = number_chain(type, sum, start_element(of, b, i, row),
                               weight_element(p, of->weight, head, own, row, column));
    if (of->bias->at != NULL && column < own)
        sum = number_add(type, sum, number_exact(of->bias->at[head * own + column]));
    return sum;
}

static ref_number clipped(const ref_problem *p, ref_number sum)
{
    if (p->clip > 0)
        sum.value = fmaxl(fminl(sum.value, (long double)p->clip), -(long double)p->clip);
    return sum;
}

/* rows·W + b, and the norm of its first numbers, where there are gains. */
static void bring_down(const ref_problem *p, ref_result *r, role *of, bool is_query)
{
    const ref_array *in = &p->in[is_query ? REF_WQ_DOWN : REF_WKV_DOWN];
    const ref_array *weight = &in[0], *bias = &in[1], *gain = &in[2];
    if (weight->at == NULL)
        return;
    size_t entries = r->sizes.b, rows = of->rows->size[of->rows->rank - 1];
    size_t width = ref_rows_of_weight(p, of->weight), whole = width + of->shared;
    ref_number *made =
        ref_stage_new(r, is_query ? REF_STAGE_Q_LATENT : REF_STAGE_KV_LATENT,
                      is_query ? "q_latent" : "kv_latent", is_query ? "bq" : "br", whole);
    for (size_t at = 0; at < entries * of->n * whole; at++) {
        size_t b = at / whole / of->n, i = at / whole % of->n, column = at % whole;
        ref_number sum = number_exact(0);
        for (size_t row = 0; row < rows; row++)
            sum = number_chain(ref_precision(p), sum, start_element(of, b, i, row),
                               weight_element(p, weight, 0, 0, row, column));
        if (bias->at != NULL)
            sum = number_add(ref_precision(p), sum, number_exact(bias->at[column]));
        made[at] = sum;
    }
    ref_number *taken =
        ref_stage_new(r, is_query ? REF_STAGE_Q_LATENT_NORM : REF_STAGE_KV_LATENT_NORM,
                      is_query ? "q_latent_norm" : "kv_latent_norm", is_query ? "bq" : "br", width);
    r->stage[is_query ? REF_STAGE_Q_LATENT_NORM : REF_STAGE_KV_LATENT_NORM].is_not_made =
        gain->at == NULL;
    for (size_t at = 0; at < entries * of->n * width; at++)
        taken[at] = made[at / width * whole + at % width];
    for (size_t row = 0; row < entries * of->n && gain->at != NULL; row++)
        ref_normalize_row(p, taken + row * width, width, p->has_latent_eps ? p->latent_eps : 1e-6,
                          gain->at);
    of->whole = made;
    of->latent = taken;
    of->latent_width = width;
}

/* The stage has the heads side by side, n × h·d, unless it was given as b × h × n × d; what it
 * gives has them apart always. `sums`, where it is not NULL, takes what is clipped. */
static ref_number *project(const ref_problem *p, const role *of, size_t batches, ref_number *sums,
                           ref_number *stage)
{
    size_t n = of->n + of->appended;
    ref_number *apart = ref_alloc(batches * of->heads * n * of->width, sizeof(ref_number)),
               *to = apart;
    bool keeps_apart = of->given->at != NULL && of->given->rank == 4;
    for (size_t b = 0; b < batches; b++)
        for (size_t head = 0; head < of->heads; head++)
            for (size_t i = 0; i < n; i++)
                for (size_t column = 0; column < of->width; column++) {
                    bool is_made = i < of->n && of->given->at == NULL;
                    ref_number one =
                        is_made      ? projected(p, of, b, head, i, column)
                        : i >= of->n ? appended_element(p, of, head, i, column)
                                     : ref_given_element(of->given, of->heads, b, head, i, column);
                    if (is_made && sums != NULL)
                        sums[((b * of->n + i) * of->heads + head) * of->width + column] = one;
                    if (is_made)
                        one = clipped(p, one);
                    size_t side_by_side = ((b * n + i) * of->heads + head) * of->width + column;
                    stage[keeps_apart ? (size_t)(to - apart) : side_by_side] = one;
                    *to++ = one;
                }
    return apart;
}

/* The rows that a projection is made of; not there where it is given directly. */
static void keep_rows(const role *of, ref_result *r, ref_stage_id id, const char *name,
                      const char *letters)
{
    if (of->given->at != NULL)
        return;
    size_t m = of->rows->size[of->rows->rank - 1];
    ref_number *to = ref_stage_new(r, id, name, letters, m);
    for (size_t b = 0; b < r->sizes.b; b++)
        for (size_t i = 0; i < of->n; i++)
            for (size_t column = 0; column < m; column++)
                *to++ = row_element(of->rows, b, i, column);
}

static ref_number *role_stage(ref_result *r, const role *of, ref_stage_id id, const char *name,
                              const char *apart, const char *side_by_side)
{
    if (of->given->at != NULL && of->given->rank == 4)
        return ref_stage_new(r, id, name, apart, of->width);
    return ref_stage_new(r, id, name, side_by_side, of->heads * of->width);
}

/* NULL where nothing is clipped. */
static ref_number *sums_stage(const ref_problem *p, ref_result *r, const role *of, ref_stage_id id,
                              const char *name, const char *letters)
{
    return p->clip > 0 ? ref_stage_new(r, id, name, letters, of->heads * of->width) : NULL;
}

void ref_compute_projections(const ref_problem *p, ref_result *r)
{
    const ref_sizes *s = &r->sizes;
    const ref_array *in = p->in;
    static const ref_array NONE = {0};
    size_t appended = s->n_k - s->own;
    const ref_number *sums = ref_compute_positions(p, r);
    const ref_array *rows_of_k = ref_rows_of_keys(p), *rows_of_v = ref_rows_of_values(p);
    role q = {.given = &in[REF_Q],
              .rows = &in[REF_X],
              .weight = &in[REF_WQ],
              .bias = &in[REF_BQ],
              .heads = s->h,
              .n = s->n_q,
              .width = s->d_q,
              .learned = &NONE,
              .sums = sums};
    role k = {.given = &in[REF_K],
              .rows = rows_of_k,
              .weight = &in[REF_WK],
              .bias = &in[REF_BK],
              .heads = s->g,
              .n = s->n_new,
              .width = s->d_k,
              .learned = &in[REF_BIAS_K],
              .appended = appended,
              .sums = rows_of_k == &in[REF_X] ? sums : NULL,
              .shared = s->shared};
    role v = {.given = &in[REF_V],
              .rows = rows_of_v,
              .weight = &in[REF_WV],
              .bias = &in[REF_BV],
              .heads = s->g,
              .n = s->n_new,
              .width = s->d_v,
              .learned = &in[REF_BIAS_V],
              .appended = appended,
              .sums = rows_of_v == &in[REF_X] ? sums : NULL};
    keep_rows(&q, r, REF_STAGE_X, "x", "bq");
    keep_rows(&k, r, REF_STAGE_XK, "xk", "br");
    keep_rows(&v, r, REF_STAGE_XV, "xv", "br");
    bring_down(p, r, &q, true);
    bring_down(p, r, &k, false);
    v.latent = k.latent;
    v.latent_width = k.latent_width;
    ref_number *q_sum = sums_stage(p, r, &q, REF_STAGE_Q_SUM, "q_sum", "bq"),
               *k_sum = sums_stage(p, r, &k, REF_STAGE_K_SUM, "k_sum", "br"),
               *v_sum = sums_stage(p, r, &v, REF_STAGE_V_SUM, "v_sum", "br");
    r->q = project(p, &q, s->b, q_sum, role_stage(r, &q, REF_STAGE_Q, "q", "bhq", "bq"));
    r->k = project(p, &k, s->b, k_sum, role_stage(r, &k, REF_STAGE_K, "k", "bgn", "bn"));
    r->v = project(p, &v, s->b, v_sum, role_stage(r, &v, REF_STAGE_V, "v", "bgn", "bn"));
}
