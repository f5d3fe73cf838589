#include "attn/engine/block.h"

#include "attn/engine/back_block.h"
#include "base/mem.h"
#include "base/prefetch.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void empty_rows_join(empty_rows *to, const empty_rows *more)
{
    if (to->count == 0 || (more->count > 0 && more->first < to->first))
        to->first = more->first;
    to->count += more->count;
}

bool scratch_new(scratch *s, const plan *p, size_t rows, size_t columns, err *e)
{
    if (p->asked->goes_back && !scratch_back_new(&s->back, p, rows, columns, e))
        return false;
    size_t element = dtype_size(p->type);
    bool needs_shares = p->asked->round_keeps_sum;
    s->rows = rows;
    s->block = mem_alloc(rows * columns, element, e);
    s->seen = mem_alloc(2 * rows, sizeof s->seen[0], e);
    s->packed = mem_alloc(panels_room(p), 1, e);
    s->maximum = mem_alloc(2 * rows, element, e);
    s->shares = needs_shares ? mem_alloc(columns, sizeof s->shares[0], e) : NULL;
    if (s->block == NULL || s->seen == NULL || s->packed == NULL || s->maximum == NULL)
        return false;
    s->of_part = s->seen + rows;
    s->sum = (char *)s->maximum + rows * element;
    return s->shares != NULL || !needs_shares;
}

void scratch_free(scratch *s)
{
    scratch_back_free(&s->back);
    mem_free(s->block);
    mem_free(s->seen);
    mem_free(s->packed);
    mem_free(s->maximum);
    mem_free(s->shares);
}

size_t scratch_memory(const plan *p, size_t rows, size_t columns)
{
    size_t shares = size_product(columns, p->asked->round_keeps_sum ? sizeof(share) : 0);
    size_t numbers = tensor_bytes(p->type, 2, (size_t[]){rows, columns + 2});
    size_t ranges = size_product(rows, 2 * sizeof(key_range));
    size_t back = p->asked->goes_back ? scratch_back_memory(p, rows, columns) : 0;
    return size_sum(size_sum(panels_room(p), numbers), size_sum(size_sum(ranges, shares), back));
}

/* ---- from a row of capped scores to masked ones: bias, ALiBi, and what takes keys out. Columns
 * are those of a block; appended rows, which stand after the keys, are touched by none of it ----
 * */

size_t block_keys(const plan *p, const block *at)
{
    return at->columns - p->appended;
}

/* The columns [from, to) of a row become `value`. */
static void fill(const plan *p, void *row, size_t from, size_t to, double value)
{
    if (from < to)
        p->with->fill((char *)row + from * dtype_size(p->type), to - from, value);
}

/* One row of a mask or bias that is spread over b × h × n_q × n_k: the block's columns of it. */
static tensor spread_row(const plan *p, const tensor *all, const block *at, size_t query)
{
    tensor of_head = plan_of_head(all, at->batch, at->head), row = tensor_at(&of_head, query);
    return tensor_range(&row, 0, at->skipped, block_keys(p, at));
}

/* What of `all` stands among `count` from `first` on, counted from there. */
static key_range range_within(key_range all, size_t first, size_t count)
{
    size_t begin = all.first > first ? all.first - first : 0;
    size_t end = all.end > first ? all.end - first : 0;
    return (key_range){begin < count ? begin : count, end < count ? end : count};
}

/* The block's columns whose keys the query may see, masks apart. */
static key_range visible_columns(const plan *p, const block *at, size_t query)
{
    return range_within(visible_keys(p, at->batch, query), at->skipped, block_keys(p, at));
}

/* to = from + bias − slope·distance, and −inf where attending is not allowed. May be in place.
 * False where to = from. */
static bool apply_masks(const plan *p, const block *at, size_t query, const void *from, void *to)
{
    size_t keys = block_keys(p, at);
    if (from != to)
        memcpy(to, from, at->columns * dtype_size(p->type));
    if (p->bias.data != NULL) {
        tensor bias = spread_row(p, &p->bias, at, query);
        p->with->add(to, keys, bias.data, bias.stride[0], to);
    }
    if (p->slopes.data != NULL) {
        int64_t position = visible_position(p, at->batch, query) - (int64_t)at->skipped;
        p->with->recede(to, keys, tensor_get(&p->slopes, &at->head), (double)position, to);
    }
    key_range seen = visible_columns(p, at, query);
    fill(p, to, 0, seen.first, -INFINITY);
    fill(p, to, seen.end, keys, -INFINITY);
    if (p->mask.data != NULL) {
        tensor mask = spread_row(p, &p->mask, at, query);
        assert(keys <= 1 || mask.stride[0] == 1); /* a mask is read into bytes of its own */
        p->with->hide(to, keys, mask.data, !p->asked->mask_true_is_masked, to);
    }
    return seen.first > 0 || seen.end < keys || p->mask.data != NULL || p->bias.data != NULL ||
           p->slopes.data != NULL;
}

/* A key that may be attended to: then scores of nothing but −inf do not come from masks and
 * biases. */
static bool allows_any(const plan *p, const block *at, size_t query)
{
    tensor mask = {0}, bias = {0};
    if (p->appended > 0)
        return true;
    if (p->mask.data != NULL)
        mask = spread_row(p, &p->mask, at, query);
    if (p->bias.data != NULL)
        bias = spread_row(p, &p->bias, at, query);
    key_range seen = visible_columns(p, at, query);
    for (size_t j = seen.first; j < seen.end; j++) {
        bool is_masked = mask.data != NULL &&
                         (((const unsigned char *)mask.data)[mask.stride[0] * (ptrdiff_t)j] != 0) ==
                             p->asked->mask_true_is_masked;
        bool is_biased = bias.data != NULL && isinf(tensor_get(&bias, &j));
        if (!is_masked && !is_biased)
            return true;
    }
    return false;
}

/* ---- places ---- */

static bool is_whole(const block_context *of, stage_id id)
{
    return of->at.whole[id].data != NULL;
}

static bool is_given(const block_context *of, stage_id id)
{
    return of->at.where.of[id].is_given;
}

tensor block_rows_of(const block_context *of, const block *at, stage_id id, void *else_at,
                     size_t columns)
{
    if (!is_whole(of, id))
        return (tensor){.type = of->plan->type,
                        .rank = 2,
                        .size = {at->rows, columns},
                        .stride = {(ptrdiff_t)columns, 1},
                        .data = else_at};
    tensor of_head = plan_of_head(&of->at.whole[id], at->batch, at->head);
    return tensor_range(&of_head, 0, at->first, at->rows);
}

tensor block_scores_of(const block_context *of, const block *at, stage_id id, void *else_at)
{
    tensor rows = block_rows_of(of, at, id, else_at, at->columns);
    return tensor_range(&rows, 1, is_whole(of, id) ? at->skipped : 0, at->columns);
}

/* Capped scores stay where the way back needs them. */
static tensor scores_of(const block_context *of, const block *at, stage_id id, const scratch *in)
{
    bool stays = id == STAGE_CAPPED && in->back.capped != NULL;
    return block_scores_of(of, at, id, stays ? in->back.capped : in->block);
}

void block_fill_rest(const block_context *of, const block *at, stage_id id, double value)
{
    if (!is_whole(of, id))
        return;
    tensor rows = block_rows_of(of, at, id, NULL, 0);
    for (size_t i = 0; i < at->rows; i++) {
        void *row = block_row_at(&rows, i);
        fill(of->plan, row, 0, at->skipped, value);
        fill(of->plan, row, at->skipped + at->columns, of->plan->n_k, value);
    }
}

/* The head's columns of the block's rows of the context. */
static tensor context_of(const block_context *of, const block *at)
{
    tensor of_head = plan_of_head(&of->made.context, at->batch, at->head);
    return tensor_range(&of_head, 0, at->first, at->rows);
}

/* ---- scores ---- */

bool block_next_part(const block_context *of, const block *at, const scratch *in, key_part *part)
{
    bool is_first = part->seen == NULL;
    part->first += part->count;
    if (!is_first && part->first >= at->columns)
        return false;
    size_t left = at->columns - part->first, most = of->panels.part;
    part->count = most == 0 || left < most ? left : most;
    part->seen = part->count == at->columns ? in->seen : in->of_part;
    for (size_t i = 0; part->seen == in->of_part && i < at->rows; i++)
        in->of_part[i] = range_within(in->seen[i], part->first, part->count);
    return true;
}

static void compute_scores(const block_context *of, const block *at, const scratch *in,
                           const tensor *scores)
{
    const plan *p = of->plan;
    tensor q = projected_queries(&of->made, at->batch, at->head);
    score_parameters with = plan_score_parameters(p, at->head);
    q = tensor_range(&q, 0, at->first, at->rows);
    for (key_part part = {0}; block_next_part(of, at, in, &part);) {
        compared_keys keys = {.seen = part.seen};
        size_t first = at->skipped + part.first;
        tensor of_part = tensor_range(scores, 1, part.first, part.count);
        if (p->asked->score->is_product) {
            keys.turned =
                panels_keys(&of->panels, at->batch, at->head, first, part.count, in->packed);
        } else {
            tensor rows = projected_keys(&of->made, p, at->batch, at->head);
            keys.rows = tensor_range(&rows, 0, first - cache_first(p), part.count);
        }
        p->asked->score->compare(p->with, &with, &q, &keys, &of_part);
    }
}

/* ---- softmax ---- */

/* A row that left the type's range: an infinite or undefined sum, or all of its scores at −inf
 * where that may not be; and why, where slope·distance of a key that it may see, masks apart,
 * does. */
static bool check_sum(const plan *p, const block *row, size_t number, double sum, bool is_lost,
                      err *e)
{
    bool is_in_range = isfinite(sum) && !(is_lost && allows_any(p, row, row->first));
    bool is_f32 = p->type == DTYPE_F32, has_slope = p->slopes.data != NULL;
    if (p->asked->allow_nonfinite || is_in_range)
        return true;
    char name[ROW_NAME];
    place at = problem_place(p->asked, "alibi");
    double slope = has_slope ? tensor_get(&p->slopes, &row->head) : 0;
    int64_t position = visible_position(p, row->batch, row->first) - (int64_t)row->skipped;
    key_range seen = visible_columns(p, row, row->first);
    plan_name_row(p, number, name);
    for (size_t j = seen.first; has_slope && j < seen.end; j++) {
        double distance = fabs((double)position - (double)j);
        if (is_f32 ? isfinite((float)slope * (float)distance) : isfinite(slope * distance))
            continue;
        err_at(e, &at,
               "the alibi bias of masked[%s, key %zu] is beyond the range of %s: slope %g, "
               "distance %g",
               name, row->skipped + j + 1, dtype_name(p->type), slope, distance);
        return err_remedy(e,
                          is_f32 ? "--dtype f64 has more range" : "a slope nearer 0 would not be");
    }
    err_set(e, "scores[%s] are beyond the range of %s", name, dtype_name(p->type));
    return err_remedy(e, is_f32 ? "--dtype f64 has more range"
                                : "smaller inputs or a smaller --scale would not be");
}

/* The block's rows of all stages from scores to weights. */
typedef struct row_stages {
    tensor scores, scaled, capped, masked, maximum, exponent, sum, weights;
} row_stages;

/* The own columns of one row */
static void *own_row(const tensor *t, const block *at, const block *own)
{
    size_t offset = (own->skipped - at->skipped) * dtype_size(t->type);
    return (char *)block_row_at(t, own->first - at->first) + offset;
}

static void fill_around(const plan *p, const tensor *t, const block *at, const block *own,
                        double value)
{
    void *row = block_row_at(t, own->first - at->first);
    size_t begin = own->skipped - at->skipped;
    fill(p, row, 0, begin, value);
    fill(p, row, begin + own->columns, at->columns, value);
}

/* Row i of the block with its own columns, and as many before them. */
static block own_of(const block *at, const scratch *in, size_t i, size_t before)
{
    key_range seen = in->seen[i];
    return (block){.batch = at->batch,
                   .head = at->head,
                   .first = at->first + i,
                   .rows = 1,
                   .skipped = at->skipped + seen.first - before,
                   .columns = seen.end - seen.first + before};
}

/* A row is done while it is in the first-level cache, but for its division: that goes on next to
 * the next row's exponentials. These begin at a multiple of PACKED_PART, so that a key keeps its
 * place among the partial sums: the columns from there to the row's own are hidden. */
static bool compute_row(const block_context *of, const block *at, size_t i, scratch *in,
                        const row_stages *s)
{
    const plan *p = of->plan;
    size_t size = dtype_size(p->type), first = in->seen[i].first, before = first % PACKED_PART;
    block own = own_of(at, in, i, 0), whole = own_of(at, in, i, before);
    void *scaled = own_row(&s->scaled, at, &own), *capped = own_row(&s->capped, at, &own);
    char *masked = own_row(&s->masked, at, &own), *exponent = own_row(&s->exponent, at, &whole);
    void *maximum = block_row_at(&s->maximum, i), *weights = own_row(&s->weights, at, &whole);
    bool has_cap = p->asked->softcap > 0, is_masked = is_given(of, STAGE_MASKED);
    bool has_maximum = false;
    if (!is_masked) {
        p->with->scale(own_row(&s->scores, at, &own), own.columns, p->scale, scaled, maximum);
        if (has_cap)
            p->with->cap(scaled, own.columns, p->asked->softcap, capped);
        has_maximum = !apply_masks(p, &own, own.first, capped, masked) && !has_cap;
    }
    if (!has_maximum)
        p->with->row_max(masked, own.columns, maximum);
    fill(p, block_row_at(&s->masked, i), first - before, first, -INFINITY);
    masked -= before * size;
    /* The softmax of the row with those columns. */
    size_t keys = whole.columns - p->appended, cell[] = {i, 0};
    size_t number = plan_row_number(p, at->batch, at->head, own.first);
    bool is_empty = tensor_get(&s->maximum, cell) == -INFINITY;
    row_total total;
    tensor sums = s->sum;
    extra_raise_maximum(p, at->head, maximum);
    p->with->row_exponent(masked, keys, maximum, exponent, &total, &in->undivided);
    extra_exponent(p, at->head, masked + keys * size, maximum, exponent + keys * size, &total);
    tensor_set(&sums, cell, total.sum + total.rest);
    double sum = tensor_get(&sums, cell);
    in->undivided = (row_shares){exponent, whole.columns, block_row_at(&sums, i), weights};
    if (isnan(sum)) {
        /* Where a sum is NaN so are the shares, but for a key that takes no part: its weight is 0,
         * whether the block computes it or leaves it out. */
        const tensor from = {
            .type = p->type, .rank = 1, .size = {whole.columns}, .stride = {1}, .data = exponent};
        tensor to = from;
        to.data = weights;
        for (size_t j = 0; j < whole.columns; j++)
            tensor_set(&to, &j, tensor_get(&from, &j) == 0 ? 0 : NAN);
        in->undivided = (row_shares){0};
    }
    if (is_empty && !isnan(sum))
        empty_rows_join(&in->empty, &(empty_rows){1, number});
    if (!check_sum(p, &whole, number, sum, is_empty && !is_masked, &in->failure))
        return false;
    /* The row's columns that others of the block need. */
    if (is_whole(of, STAGE_MASKED))
        fill_around(p, &s->masked, at, &whole, -INFINITY);
    if (is_whole(of, STAGE_EXP))
        fill_around(p, &s->exponent, at, &whole, 0);
    fill_around(p, &s->weights, at, &whole, 0);
    return true;
}

/* What no stage is made of, as far as it is wanted. */
static void compute_statistics(const block_context *of, const block *at, const row_stages *s)
{
    tensor logsumexp = block_rows_of(of, at, STAGE_LOGSUMEXP, NULL, 1),
           entropy = block_rows_of(of, at, STAGE_ENTROPY, NULL, 1),
           top = block_rows_of(of, at, STAGE_TOP, NULL, of->plan->asked->top);
    for (size_t i = 0; i < at->rows; i++) {
        size_t number[] = {i, 0};
        if (logsumexp.data != NULL)
            tensor_set(
                &logsumexp, number,
                statistics_logsumexp(tensor_get(&s->maximum, number), tensor_get(&s->sum, number)));
        if (entropy.data != NULL)
            tensor_set(&entropy, number, statistics_entropy(&s->weights, i));
        if (top.data != NULL)
            statistics_top(&s->weights, i, at->skipped, &top);
    }
}

static inline __attribute__((always_inline)) void ask_for_row(const tensor *t, size_t i)
{
    ask_for(block_row_at(t, i), t->size[1] * dtype_size(t->type));
}

static bool compute_weights(const block_context *of, const block *at, scratch *in,
                            const tensor *scores, tensor *weights)
{
    bool has_cap = of->plan->asked->softcap > 0;
    row_stages s = {
        .scores = *scores,
        .scaled = scores_of(of, at, STAGE_SCALED, in),
        .capped = scores_of(of, at, has_cap ? STAGE_CAPPED : STAGE_SCALED, in),
        .masked = scores_of(of, at, STAGE_MASKED, in),
        .maximum = block_rows_of(of, at, STAGE_ROW_MAX, in->maximum, 1),
        .exponent = scores_of(of, at, STAGE_EXP, in),
        .sum = block_rows_of(of, at, STAGE_ROW_SUM, in->sum, 1),
        .weights = scores_of(of, at, STAGE_WEIGHTS, in),
    };
    /* Heads may lie side by side, and their rows far apart in memory: while row i is in the
     * softmax, the place of its context comes, and a query of the block after. */
    const tensor context = context_of(of, at);
    tensor q = {0};
    if (of->made.queries.data != NULL)
        q = projected_queries(&of->made, at->batch, at->head);
    size_t end = at->first + at->rows, left = q.size[0] > end ? q.size[0] - end : 0;
    const tensor ahead =
        left == 0 ? q : tensor_range(&q, 0, end, left < at->rows ? left : at->rows);
    in->undivided = (row_shares){0};
    for (size_t i = 0; i < at->rows; i++) {
        ask_for_row(&context, i);
        if (i < left)
            ask_for_row(&ahead, i);
        if (!compute_row(of, at, i, in, &s))
            return false;
    }
    of->plan->with->row_divide(&in->undivided);
    compute_statistics(of, at, &s);
    block_fill_rest(of, at, STAGE_MASKED, -INFINITY);
    block_fill_rest(of, at, STAGE_EXP, 0);
    block_fill_rest(of, at, STAGE_WEIGHTS, 0);
    *weights = s.weights;
    return true;
}

/* ---- values ---- */

/* n_k × d_v of each row, or of the one that is meant. */
static void compute_weighted(const block_context *of, const block *at, const tensor *weights)
{
    const plan *p = of->plan;
    const kept_stages *w = of->wanted;
    const tensor *kept = &of->at.whole[STAGE_WEIGHTED];
    bool is_one_row = kept_stages_is_one_row(p, w, STAGE_WEIGHTED);
    size_t first = is_one_row ? w->row - at->first : 0; /* past all rows where it is before them */
    size_t end = is_one_row ? first + 1 : at->rows;
    if (kept->data == NULL || first >= at->rows ||
        (is_one_row && (at->batch != w->batch || at->head != w->head)))
        return;
    tensor v = projected_values(&of->made, p, at->batch, at->head), rows = *kept;
    if (!is_one_row)
        rows = plan_of_head(kept, at->batch, at->head);
    for (size_t i = first; i < end; i++) {
        tensor weighted = is_one_row ? rows : tensor_at(&rows, at->first + i);
        for (size_t j = 0; j < p->n_k; j++) {
            bool is_there = j >= at->skipped && j < at->skipped + at->columns;
            double weight = is_there ? tensor_get(weights, (size_t[]){i, j - at->skipped}) : 0;
            p->with->weigh(block_row_at(&v, j), v.stride[1], p->v.width, weight,
                           block_row_at(&weighted, j));
        }
    }
}

/* attended = weights·v */
static void weigh_values(const block_context *of, const block *at, const scratch *in,
                         const tensor *weights, tensor *attended)
{
    const plan *p = of->plan;
    if (of->made.v_is_finite) {
        for (key_part part = {0}; block_next_part(of, at, in, &part);) {
            packed v = panels_values(&of->panels, at->batch, at->head, at->skipped + part.first,
                                     part.count, in->packed);
            tensor of_part = tensor_range(weights, 1, part.first, part.count);
            product_band band = {.terms = part.seen, .goes_on = part.first > 0};
            p->with->product(&of_part, &v, &band, attended);
        }
    } else {
        tensor all = projected_values(&of->made, p, at->batch, at->head);
        tensor v = tensor_range(&all, 0, at->skipped - cache_first(p), at->columns);
        p->with->product_of_nonzero(weights, &v, attended);
    }
}

static void compute_context(const block_context *of, const block *at, scratch *in,
                            const tensor *weights)
{
    tensor context = context_of(of, at);
    tensor attended =
        is_whole(of, STAGE_ATTENDED) ? block_rows_of(of, at, STAGE_ATTENDED, NULL, 0) : context;
    if (places_make(&of->at.where, STAGE_ATTENDED))
        weigh_values(of, at, in, weights, &attended);
    in->is_past_range = in->is_past_range || !of->plan->with->is_finite(&attended);
    if (attended.data != context.data)
        tensor_copy(&attended, &context);
}

/* Sets the block's columns, and what each row sees of them. */
static void find_columns(const block_context *of, block *at, scratch *in)
{
    bool takes_all = kept_stages_all_keys(of->wanted);
    key_range all = {0, of->plan->n_k};
    if (!takes_all) {
        /* What some of the rows see, begun at a multiple of PACKED_PART; appended rows are seen by
         * all. */
        size_t first = visible_keys(of->plan, at->batch, at->first).first;
        all.first = first / PACKED_PART * PACKED_PART;
        if (of->plan->appended == 0)
            all.end = visible_keys(of->plan, at->batch, at->first + at->rows - 1).end;
    }
    at->skipped = all.first;
    at->columns = all.end - all.first;
    /* Where the whole rows are wanted, or appended ones stand after the keys, each sees all. From
     * one to the next neither end of what is seen moves back. */
    for (size_t i = 0; i < at->rows; i++)
        in->seen[i] = takes_all || of->plan->appended > 0
                          ? (key_range){0, at->columns}
                          : visible_columns(of->plan, at, at->first + i);
}

bool block_weights(const block_context *of, block *at, scratch *in, tensor *weights)
{
    *weights = (tensor){0};
    find_columns(of, at, in);
    if (places_make(&of->at.where, STAGE_WEIGHTS)) {
        tensor scores = scores_of(of, at, STAGE_SCORES, in);
        if (places_make(&of->at.where, STAGE_SCORES))
            compute_scores(of, at, in, &scores);
        return compute_weights(of, at, in, &scores, weights);
    }
    if (is_given(of, STAGE_WEIGHTS)) {
        *weights = scores_of(of, at, STAGE_WEIGHTS, in);
        compute_statistics(of, at, &(row_stages){.weights = *weights});
    }
    return true;
}

bool block_compute(const block_context *of, block *at, scratch *in)
{
    const problem *asked = of->plan->asked;
    tensor weights;
    if (!block_weights(of, at, in, &weights))
        return false;
    tensor used = weights;
    if (places_make(&of->at.where, STAGE_ROUNDED)) {
        used = scores_of(of, at, STAGE_ROUNDED, in);
        if (asked->round_keeps_sum)
            rows_round_keep_sum(&weights, asked->round_decimals, &used, in->shares);
        else
            rows_round(&weights, asked->round_decimals, &used);
        block_fill_rest(of, at, STAGE_ROUNDED, 0);
    }
    compute_weighted(of, at, &used);
    compute_context(of, at, in, &used);
    return true;
}
