#include "attn/block.h"

#include "attn/extra.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool scratch_new(scratch *s, const plan *p, size_t rows, size_t columns, err *e)
{
    size_t element = dtype_size(p->type);
    bool needs_shares = p->asked->round_keeps_sum;
    s->block = mem_alloc(rows * columns, element, e);
    s->maximum = mem_alloc(rows, element, e);
    s->sum = mem_alloc(rows, element, e);
    s->shares = needs_shares ? mem_alloc(p->n_k, sizeof s->shares[0], e) : NULL;
    return s->block != NULL && s->maximum != NULL && s->sum != NULL &&
           (s->shares != NULL || !needs_shares);
}

void scratch_free(scratch *s)
{
    mem_free(s->block);
    mem_free(s->maximum);
    mem_free(s->sum);
    mem_free(s->shares);
}

bool scratch_memory(const plan *p, size_t rows, size_t columns, size_t *bytes)
{
    size_t shares = p->asked->round_keeps_sum ? sizeof(share) : 0, of_rows, of_keys;
    return size_mul(rows, columns + 2, &of_rows) &&
           size_mul(of_rows, dtype_size(p->type), &of_rows) && size_mul(p->n_k, shares, &of_keys) &&
           size_add(of_rows, of_keys, bytes);
}

/* ---- places ---- */

static bool is_kept(const block_context *of, stage_id id)
{
    return of->kept[id].data != NULL;
}

/* The block's rows of a stage: in its place where it is wanted, else in scratch. */
static tensor rows_of(const block_context *of, const block *at, stage_id id, void *else_at,
                      size_t columns)
{
    if (!is_kept(of, id))
        return (tensor){.type = of->plan->type,
                        .rank = 2,
                        .size = {at->rows, columns},
                        .stride = {(ptrdiff_t)columns, 1},
                        .data = else_at};
    tensor of_batch = tensor_at(&of->kept[id], at->batch), of_head = tensor_at(&of_batch, at->head);
    return tensor_range(&of_head, 0, at->first, at->rows);
}

/* The same, of its columns those that are computed. */
static tensor scores_of(const block_context *of, const block *at, stage_id id, const scratch *in)
{
    tensor rows = rows_of(of, at, id, in->block, at->columns);
    return tensor_range(&rows, 1, is_kept(of, id) ? at->skipped : 0, at->columns);
}

static void *row_at(const tensor *t, size_t row)
{
    return (char *)t->data + t->stride[0] * (ptrdiff_t)row * (ptrdiff_t)dtype_size(t->type);
}

/* The columns [from, to) of a row become `value`: −inf or 0. */
static void fill_keys(dtype type, void *row, size_t from, size_t to, double value)
{
    for (size_t j = from; type == DTYPE_F32 && j < to; j++)
        ((float *)row)[j] = (float)value;
    for (size_t j = from; type == DTYPE_F64 && j < to; j++)
        ((double *)row)[j] = value;
}

/* Around the columns that are computed, a wanted stage is `value`. */
static void fill_rest(const block_context *of, const block *at, stage_id id, double value)
{
    if (!is_kept(of, id))
        return;
    tensor rows = rows_of(of, at, id, NULL, 0);
    for (size_t i = 0; i < at->rows; i++) {
        void *row = row_at(&rows, i);
        fill_keys(rows.type, row, 0, at->skipped, value);
        fill_keys(rows.type, row, at->skipped + at->columns, of->plan->n_k, value);
    }
}

/* ---- scores ---- */

static tensor compute_scores(const block_context *of, const block *at, const scratch *in)
{
    const plan *p = of->plan;
    tensor q = projected_queries(&of->made, at->batch, at->head);
    tensor scores = scores_of(of, at, STAGE_SCORES, in);
    score_parameters with = plan_score_parameters(p, at->head);
    tensor rows = projected_keys(&of->made, p, at->batch, at->head);
    compared_keys keys = {.rows = tensor_range(&rows, 0, at->skipped, at->columns)};
    if (p->asked->score->is_product)
        keys.turned = panels_keys(&of->panels, at->batch, at->head, at->skipped);
    q = tensor_range(&q, 0, at->first, at->rows);
    p->asked->score->compare(p->with, &with, &q, &keys, &scores);
    return scores;
}

/* ---- masks ---- */

/* One row of a mask or bias that is spread over b × h × n_q × n_k: the block's columns of it. */
static tensor spread_row(const tensor *all, const block *at, size_t query)
{
    tensor of_batch = tensor_at(all, at->batch), of_head = tensor_at(&of_batch, at->head);
    tensor row = tensor_at(&of_head, query);
    return tensor_range(&row, 0, at->skipped, at->columns);
}

/* The block's columns whose keys the query may see, masks apart. */
static key_range visible_columns(const plan *p, const block *at, size_t query)
{
    key_range seen = visible_keys(p, at->batch, query);
    size_t end = at->skipped + at->columns;
    seen.end = seen.end < end ? seen.end : end;
    seen.first = seen.first > at->skipped ? seen.first : at->skipped;
    if (seen.first >= seen.end)
        return (key_range){0, 0};
    return (key_range){seen.first - at->skipped, seen.end - at->skipped};
}

static bool is_hidden_by(const plan *p, const tensor *mask, size_t j)
{
    bool is_true = ((const unsigned char *)mask->data)[mask->stride[0] * (ptrdiff_t)j] != 0;
    return is_true == p->asked->mask_true_is_masked;
}

static void hide(const plan *p, const block *at, size_t query, void *row)
{
    key_range seen = visible_columns(p, at, query);
    fill_keys(p->type, row, 0, seen.first, -INFINITY);
    fill_keys(p->type, row, seen.end, at->columns, -INFINITY);
    if (p->mask.data == NULL)
        return;
    tensor mask = spread_row(&p->mask, at, query);
    for (size_t j = seen.first; j < seen.end; j++) {
        if (is_hidden_by(p, &mask, j))
            fill_keys(p->type, row, j, j + 1, -INFINITY);
    }
}

/* masked = capped + bias − slope·distance, and −inf where attending is not allowed */
static void mask_row(const plan *p, const block *at, size_t row, const tensor *capped,
                     tensor *masked)
{
    size_t query = at->first + row;
    void *from = row_at(capped, row), *to = row_at(masked, row);
    if (p->bias.data != NULL) {
        tensor bias = spread_row(&p->bias, at, query);
        p->with->add(from, at->columns, bias.data, bias.stride[0], to);
    } else if (from != to) {
        memcpy(to, from, at->columns * dtype_size(p->type));
    }
    if (p->slopes.data != NULL)
        p->with->recede(to, at->columns, tensor_get(&p->slopes, &at->head),
                        (double)(visible_position(p, at->batch, query) - (int64_t)at->skipped), to);
    hide(p, at, query, to);
}

/* ---- softmax ---- */

/* A key that may be attended to: then a sum of 0 does not come from masks and biases. */
static bool any_allowed(const plan *p, const block *at, size_t query)
{
    tensor mask = {0}, bias = {0};
    if (p->mask.data != NULL)
        mask = spread_row(&p->mask, at, query);
    if (p->bias.data != NULL)
        bias = spread_row(&p->bias, at, query);
    key_range seen = visible_columns(p, at, query);
    for (size_t j = seen.first; j < seen.end; j++) {
        bool is_masked = mask.data != NULL && is_hidden_by(p, &mask, j);
        bool is_biased = bias.data != NULL && isinf(tensor_get(&bias, &j));
        if (!is_masked && !is_biased)
            return true;
    }
    return false;
}

/* A row that left the type's range: an infinite or undefined sum, or all of its scores at −inf. */
static bool check_sum(const plan *p, const block *at, size_t row, double sum, bool is_empty, err *e)
{
    size_t query = at->first + row;
    bool is_in_range = isfinite(sum) && !(is_empty && any_allowed(p, at, query));
    if (p->asked->allow_nonfinite || is_in_range)
        return true;
    char batch[32] = "", head[32] = "";
    if (p->has_batch)
        snprintf(batch, sizeof batch, "batch %zu, ", at->batch + 1);
    if (p->has_heads)
        snprintf(head, sizeof head, "head %zu, ", at->head + 1);
    err_set(e, "scores[%s%squery %zu] are beyond the range of %s", batch, head, query + 1,
            dtype_name(p->type));
    return err_remedy(e, p->type == DTYPE_F32 ? "--dtype f64 has more range"
                                              : "smaller inputs or a smaller --scale would not be");
}

/* The block's rows of all stages from scores to weights. */
typedef struct row_stages {
    tensor scores, scaled, capped, masked, maximum, exponent, sum, weights;
} row_stages;

static bool compute_softmax(const block_context *of, const block *at, scratch *in, size_t row,
                            const row_stages *s)
{
    const plan *p = of->plan;
    void *maximum = row_at(&s->maximum, row), *exponent = row_at(&s->exponent, row),
         *sum = row_at(&s->sum, row), *masked = row_at(&s->masked, row);
    p->with->row_max(masked, at->columns, maximum);
    bool is_empty = tensor_get(&s->maximum, (size_t[]){row, 0}) == -INFINITY;
    extra_raise_maximum(p, at->head, maximum);
    p->with->row_exponent(masked, at->columns, maximum, exponent, sum);
    extra_add_to_sum(p, at->head, maximum, sum);
    p->with->row_divide(exponent, at->columns, sum, row_at(&s->weights, row));
    double whole = tensor_get(&s->sum, (size_t[]){row, 0});
    in->empty_rows += is_empty && !isnan(whole);
    return check_sum(p, at, row, whole, is_empty, &in->failure);
}

/* From scores to weights a row at a time, while it is in the first-level cache. */
static bool compute_weights(const block_context *of, const block *at, scratch *in,
                            const tensor *scores, tensor *weights)
{
    bool has_cap = plan_has_stage(of->plan, STAGE_CAPPED);
    row_stages s = {
        .scores = *scores,
        .scaled = scores_of(of, at, STAGE_SCALED, in),
        .capped = scores_of(of, at, has_cap ? STAGE_CAPPED : STAGE_SCALED, in),
        .masked = scores_of(of, at, STAGE_MASKED, in),
        .maximum = rows_of(of, at, STAGE_ROW_MAX, in->maximum, 1),
        .exponent = scores_of(of, at, STAGE_EXP, in),
        .sum = rows_of(of, at, STAGE_ROW_SUM, in->sum, 1),
        .weights = scores_of(of, at, STAGE_WEIGHTS, in),
    };
    for (size_t i = 0; i < at->rows; i++) {
        of->plan->with->multiply(row_at(scores, i), at->columns, of->plan->scale,
                                 row_at(&s.scaled, i));
        if (has_cap)
            of->plan->with->cap(row_at(&s.scaled, i), at->columns, of->plan->asked->softcap,
                                row_at(&s.capped, i));
        mask_row(of->plan, at, i, &s.capped, &s.masked);
        if (!compute_softmax(of, at, in, i, &s))
            return false;
    }
    fill_rest(of, at, STAGE_MASKED, -INFINITY);
    fill_rest(of, at, STAGE_EXP, 0);
    fill_rest(of, at, STAGE_WEIGHTS, 0);
    *weights = s.weights;
    return true;
}

static tensor compute_rounded(const block_context *of, const block *at, const scratch *in,
                              const tensor *weights)
{
    const problem *asked = of->plan->asked;
    if (asked->round_decimals < 0)
        return *weights;
    tensor rounded = scores_of(of, at, STAGE_ROUNDED, in);
    if (asked->round_keeps_sum)
        rows_round_keep_sum(weights, asked->round_decimals, &rounded, in->shares);
    else
        rows_round(weights, asked->round_decimals, &rounded);
    fill_rest(of, at, STAGE_ROUNDED, 0);
    return rounded;
}

/* ---- values ---- */

/* Where row `first + row` of the block has its weighted values, n_k × d_v; no data: nowhere. */
static tensor weighted_place(const block_context *of, const block *at, size_t row)
{
    const wanted *w = of->wanted;
    const tensor *kept = &of->kept[STAGE_WEIGHTED];
    if (kept->data == NULL)
        return (tensor){0};
    if (w->weighted_is_one_row) {
        bool is_it = at->batch == w->batch && at->head == w->head && at->first + row == w->row;
        return is_it ? *kept : (tensor){0};
    }
    tensor of_batch = tensor_at(kept, at->batch), of_head = tensor_at(&of_batch, at->head);
    return tensor_at(&of_head, at->first + row);
}

static void compute_weighted(const block_context *of, const block *at, const tensor *weights)
{
    const plan *p = of->plan;
    tensor v = projected_values(&of->made, p, at->batch, at->head);
    for (size_t i = 0; i < at->rows; i++) {
        tensor weighted = weighted_place(of, at, i);
        for (size_t j = 0; weighted.data != NULL && j < p->n_k; j++) {
            bool is_there = j >= at->skipped && j < at->skipped + at->columns;
            double weight = is_there ? tensor_get(weights, (size_t[]){i, j - at->skipped}) : 0;
            p->with->weigh(row_at(&v, j), v.stride[1], p->v.width, weight, row_at(&weighted, j));
        }
    }
}

/* The head's columns of the block's rows of the context. */
static tensor context_of(const block_context *of, const block *at)
{
    tensor of_batch = tensor_at(&of->made.context, at->batch),
           of_head = tensor_at(&of_batch, at->head);
    return tensor_range(&of_head, 0, at->first, at->rows);
}

static void compute_attended(const block_context *of, const block *at, const tensor *weights)
{
    const plan *p = of->plan;
    tensor context = context_of(of, at);
    tensor attended =
        is_kept(of, STAGE_ATTENDED) ? rows_of(of, at, STAGE_ATTENDED, NULL, 0) : context;
    if (of->made.v_is_finite) {
        packed v = panels_values(&of->panels, at->batch, at->head, at->skipped);
        p->with->product(weights, &v, &attended);
    } else {
        tensor all = projected_values(&of->made, p, at->batch, at->head);
        tensor v = tensor_range(&all, 0, at->skipped, at->columns);
        p->with->product_of_nonzero(weights, &v, &attended);
    }
    if (attended.data != context.data)
        tensor_copy(&attended, &context);
}

static bool wants_all_columns(const wanted *w)
{
    return wanted_has(w, STAGE_SCORES) || wanted_has(w, STAGE_SCALED) ||
           wanted_has(w, STAGE_CAPPED);
}

size_t block_columns_most(const plan *p, const wanted *w, size_t rows)
{
    return wants_all_columns(w) ? p->n_k : visible_span(p, rows);
}

void block_find_columns(const block_context *of, block *at)
{
    key_range seen = {0, of->plan->n_k};
    if (!wants_all_columns(of->wanted))
        seen = visible_to_rows(of->plan, at->batch, at->first, at->rows);
    at->skipped = seen.first;
    at->columns = seen.end - seen.first;
}

bool block_compute(const block_context *of, const block *at, scratch *in)
{
    tensor scores = compute_scores(of, at, in);
    tensor weights;
    if (!compute_weights(of, at, in, &scores, &weights))
        return false;
    tensor used = compute_rounded(of, at, in, &weights);
    compute_weighted(of, at, &used);
    compute_attended(of, at, &used);
    return true;
}
