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
} role;

/* What a projection starts from. */
static ref_number start_element(const role *of, size_t b, size_t i, size_t column)
{
    size_t m = of->rows->size[of->rows->rank - 1];
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
    ref_number sum = number_exact(0);
    if (of->weight->at == NULL)
        sum = start_element(of, b, i, head * of->width + column);
    else
        for (size_t row = 0; row < of->rows->size[of->rows->rank - 1]; row++)
            sum = number_chain(type, sum, start_element(of, b, i, row),
                               weight_element(p, of->weight, head, of->width, row, column));
    if (of->bias->at != NULL)
        sum = number_add(type, sum, number_exact(of->bias->at[head * of->width + column]));
    if (p->clip > 0)
        sum.value = fmaxl(fminl(sum.value, (long double)p->clip), -(long double)p->clip);
    return sum;
}

/* The stage has the heads side by side, n × h·d, unless it was given as b × h × n × d; `apart`
 * always has them apart. */
static ref_number *project(const ref_problem *p, const role *of, size_t batches, ref_number *stage)
{
    size_t n = of->n + of->appended;
    ref_number *apart = ref_alloc(batches * of->heads * n * of->width, sizeof(ref_number)),
               *to = apart;
    bool keeps_apart = of->given->at != NULL && of->given->rank == 4;
    for (size_t b = 0; b < batches; b++)
        for (size_t head = 0; head < of->heads; head++)
            for (size_t i = 0; i < n; i++)
                for (size_t column = 0; column < of->width; column++) {
                    ref_number one =
                        i >= of->n ? appended_element(p, of, head, i, column)
                        : of->given->at != NULL
                            ? ref_given_element(of->given, of->heads, b, head, i, column)
                            : projected(p, of, b, head, i, column);
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

void ref_compute_projections(const ref_problem *p, ref_result *r)
{
    const ref_sizes *s = &r->sizes;
    const ref_array *in = p->in;
    static const ref_array NONE = {0};
    size_t appended = s->n_k - s->own;
    const ref_number *sums = ref_compute_positions(p, r);
    const ref_array *rows_of_k = ref_rows_of_keys(p), *rows_of_v = ref_rows_of_values(p);
    const role q = {&in[REF_Q], &in[REF_X], &in[REF_WQ], &in[REF_BQ], s->h,
                    s->n_q,     s->d_q,     &NONE,       0,           sums};
    const role k = {
        &in[REF_K], rows_of_k, &in[REF_WK],     &in[REF_BK], s->g,
        s->n_new,   s->d_k,    &in[REF_BIAS_K], appended,    rows_of_k == &in[REF_X] ? sums : NULL};
    const role v = {
        &in[REF_V], rows_of_v, &in[REF_WV],     &in[REF_BV], s->g,
        s->n_new,   s->d_v,    &in[REF_BIAS_V], appended,    rows_of_v == &in[REF_X] ? sums : NULL};
    keep_rows(&q, r, REF_STAGE_X, "x", "bq");
    keep_rows(&k, r, REF_STAGE_XK, "xk", "br");
    keep_rows(&v, r, REF_STAGE_XV, "xv", "br");
    r->q = project(p, &q, s->b, role_stage(r, &q, REF_STAGE_Q, "q", "bhq", "bq"));
    r->k = project(p, &k, s->b, role_stage(r, &k, REF_STAGE_K, "k", "bgn", "bn"));
    r->v = project(p, &v, s->b, role_stage(r, &v, REF_STAGE_V, "v", "bgn", "bn"));
}
