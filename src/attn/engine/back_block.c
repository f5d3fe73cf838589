#include "attn/engine/back_block.h"

#include "attn/engine/rows.h"
#include "base/mem.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* What is added to scores gathers the gradients of masked ones, after those of scores were made: so
 * they don't share one place. */
static bool keeps_masked(const plan *p)
{
    return p->bias.data != NULL || p->slopes.data != NULL;
}

bool scratch_back_new(scratch_back *s, const plan *p, size_t rows, size_t columns, err *e)
{
    size_t element = dtype_size(p->type);
    bool has_cap = p->asked->softcap > 0;
    s->grad = mem_alloc(rows * columns, element, e);
    s->masked = keeps_masked(p) ? mem_alloc(rows * columns, element, e) : NULL;
    s->capped = has_cap ? mem_alloc(rows * columns, element, e) : NULL;
    s->delta = mem_alloc(rows, element, e);
    s->bent = mem_alloc(p->compared_width, element, e);
    s->few = mem_alloc(p->with->packed_bytes(rows, size_larger(p->k.width, p->v.width)), 1, e);
    s->of_column = mem_alloc(columns, sizeof s->of_column[0], e);
    return s->grad != NULL && (s->masked != NULL || !keeps_masked(p)) &&
           (s->capped != NULL || !has_cap) && s->delta != NULL && s->bent != NULL &&
           s->few != NULL && s->of_column != NULL;
}

void scratch_back_free(scratch_back *s)
{
    mem_free(s->grad);
    mem_free(s->masked);
    mem_free(s->capped);
    mem_free(s->delta);
    mem_free(s->bent);
    mem_free(s->few);
    mem_free(s->of_column);
}

size_t scratch_back_memory(const plan *p, size_t rows, size_t columns)
{
    size_t wide = 1 + (size_t)keeps_masked(p) + (size_t)(p->asked->softcap > 0);
    size_t numbers = tensor_bytes(p->type, 2, (size_t[]){rows, wide * columns + 1});
    numbers = size_sum(numbers, tensor_bytes(p->type, 1, &p->compared_width));
    size_t few = p->with->packed_bytes(rows, size_larger(p->k.width, p->v.width));
    return size_sum(size_sum(numbers, few), size_product(columns, sizeof(key_range)));
}

/* ---- turns: what each block adds to, one block after the other ---- */

/* Keys and values are added to in ranges of keys, so that the next block need not wait for the last
 * key: a chain for each element, whatever the ranges are. They are whole register tiles. */
enum { RANGES = 8, RANGE_STEP = 48 };
enum { TURN_VALUES = 0, TURN_KEYS = RANGES, TURN_ALONE = 2 * RANGES };
_Static_assert((int)TURN_ALONE < (int)SCHEDULE_TURNS, "each has its turn");

/* The keys of a range; none after the last one. */
static key_range keys_of_range(const plan *p, size_t range)
{
    size_t step = (p->n_k + RANGES * RANGE_STEP - 1) / (RANGES * RANGE_STEP) * RANGE_STEP;
    size_t first = range * step, end = first + step;
    return (key_range){first < p->n_k ? first : p->n_k, end < p->n_k ? end : p->n_k};
}

static bool await(const turns *my, size_t turn)
{
    return schedule_await(my->of, my->by, turn);
}

static void pass(const turns *my, size_t turn)
{
    schedule_pass(my->of, my->by, turn);
}

/* Where a head's chains begin. */
static void clear_rows(const plan *p, const tensor *all, const block *at, size_t first, size_t end)
{
    tensor of_head = plan_of_head(all, at->batch, at->head);
    for (size_t i = first; i < end; i++)
        p->with->fill(block_row_at(&of_head, i), of_head.size[1], 0);
}

/* ---- from weights to scores ---- */

/* A row of what the block attended to and of its gradient: one chain of fused multiply-adds, less
 * what comes back to logsumexp, b × h × n_q × 1. */
static void make_delta(const plan *p, const block *at, const tensor *grad, const tensor *attended,
                       tensor *delta)
{
    const tensor all = plan_given_like(p, INPUT_LOGSUMEXP_GRAD);
    p->with->row_dots(grad, attended, delta->data);
    if (all.data == NULL)
        return;
    tensor of_head = plan_of_head(&all, at->batch, at->head);
    for (size_t i = 0; i < at->rows; i++) {
        size_t cell[] = {i, 0};
        double less = tensor_get(&of_head, (size_t[]){at->first + i, 0});
        tensor_set(delta, cell, tensor_get(delta, cell) - less);
    }
}

/* The rows of scores that the block has, from gradients of its weights to gradients of its
 * scores: each stage in its own place, or in the place of the one before. */
typedef struct back_rows {
    tensor weights, capped, weights_grad, masked_grad, capped_grad, scaled_grad, scores_grad;
} back_rows;

/* Around the row's own columns +0. */
static void clear_around(const plan *p, void *row, key_range own, size_t columns)
{
    p->with->fill(row, own.first, 0);
    p->with->fill((char *)row + own.end * dtype_size(p->type), columns - own.end, 0);
}

/* Each 0 is +0 in all of these stages, as it is outside of the row's own columns: which columns
 * these are depends on what else is wanted. */
static void make_row(const plan *p, const back_rows *s, size_t i, key_range own, const void *delta)
{
    const kernels *with = p->with;
    size_t size = dtype_size(p->type), n = own.end - own.first, at = own.first * size;
    const tensor *in_place[] = {&s->masked_grad, &s->capped_grad, &s->scaled_grad, &s->scores_grad};
    const void *weights = (char *)block_row_at(&s->weights, i) + at;
    char *masked = (char *)block_row_at(&s->masked_grad, i) + at;
    char *capped = (char *)block_row_at(&s->capped_grad, i) + at;
    char *scaled = (char *)block_row_at(&s->scaled_grad, i) + at;
    char *scores = (char *)block_row_at(&s->scores_grad, i) + at;
    const void *grad = (char *)block_row_at(&s->weights_grad, i) + at;
    if (p->asked->softcap > 0) {
        const double zero = 0; /* of either type */
        double most;
        with->row_back(grad, n, weights, delta, 1, masked, capped);
        rows_uncap(p->type, p->asked->softcap, capped, (char *)block_row_at(&s->capped, i) + at, n,
                   scaled);
        with->scale(scaled, n, p->scale, scores, &most);
        with->add(scores, n, &zero, 0, scores);
    } else {
        /* Where a stage shares the scores' place nobody needs it. */
        char *apart = masked != scores ? masked : scaled;
        with->row_back(grad, n, weights, delta, p->scale, apart, scores);
        if (scaled != apart && scaled != scores)
            memcpy(scaled, apart, n * size);
    }
    for (size_t k = 0; k < sizeof in_place / sizeof in_place[0]; k++)
        clear_around(p, block_row_at(in_place[k], i), own, s->weights.size[1]);
}

static bool gathers_added(const gathered *to)
{
    return to->bias.data != NULL || to->buckets.data != NULL || to->slopes.data != NULL;
}

/* A head's numbers of buckets gain what the scores of a query do. */
static void gather_buckets(const block_context *of, const block *at, size_t row, key_range keys,
                           const tensor *masked)
{
    const plan *p = of->plan;
    const tensor *to = &of->back.buckets, query = tensor_at(masked, row),
                 of_batch = tensor_at(&p->bucket, at->batch),
                 buckets = tensor_at(&of_batch, at->first + row);
    for (size_t j = keys.first; j < keys.end; j++) {
        size_t bucket = (size_t)tensor_get(&buckets, (size_t[]){at->skipped + j});
        tensor one = tensor_at(to, bucket), from = tensor_range(&query, 0, j, 1);
        one = tensor_range(&one, 0, at->head, 1);
        p->with->add(one.data, 1, from.data, 1, one.data);
    }
}

/* What is added to scores gains what they do: a bias over all that it was spread over, a slope in
 * float64. */
static void gather_added(const block_context *of, const block *at, const scratch *in,
                         const tensor *masked)
{
    const plan *p = of->plan;
    tensor bias = {0}, slopes = of->back.slopes;
    size_t element = dtype_size(p->type), keys = block_keys(p, at);
    if (of->back.bias.data != NULL)
        bias = plan_of_head(&of->back.bias, at->batch, at->head);
    double *slope = slopes.data == NULL ? NULL : (double *)slopes.data + at->head;
    for (size_t i = 0; i < at->rows; i++) {
        size_t first = in->seen[i].first, end = in->seen[i].end < keys ? in->seen[i].end : keys;
        if (bias.data != NULL && first < end) {
            char *to = block_row_at(&bias, at->first + i);
            to += (at->skipped + first) * element;
            p->with->add(to, end - first, (char *)block_row_at(masked, i) + first * element, 1, to);
        }
        if (of->back.buckets.data != NULL)
            gather_buckets(of, at, i, (key_range){first, end}, masked);
        double position = (double)visible_position(p, at->batch, at->first + i);
        for (size_t j = first; slope != NULL && j < end; j++)
            *slope -=
                tensor_get(masked, (size_t[]){i, j}) * fabs(position - (double)(at->skipped + j));
    }
}

/* The block's rows that see each column; neither end moves back. */
static void find_seeing(const scratch *in, const block *at)
{
    key_range rows = {0, 0};
    for (size_t j = 0; j < at->columns; j++) {
        while (rows.first < at->rows && in->seen[rows.first].end <= j)
            rows.first++;
        while (rows.end < at->rows && in->seen[rows.end].first <= j)
            rows.end++;
        in->back.of_column[j] = (key_range){rows.first, size_larger(rows.first, rows.end)};
    }
}

/* The chains of a head's keys or values go on: `by` turned, times the block's rows. */
static bool gather(const block_context *of, const block *at, const scratch *in, const tensor *by,
                   const tensor *rows, const tensor *all, const turns *my, size_t turn)
{
    const plan *p = of->plan;
    tensor of_head = plan_of_head(all, at->batch, at->head), turned = tensor_transposed(by);
    packed few = {.data = in->back.few};
    p->with->pack(rows, &few);
    for (size_t range = 0; range < RANGES; range++) {
        key_range keys = keys_of_range(p, range);
        if (!await(my, turn + range))
            return false;
        if (at->first == 0)
            clear_rows(p, all, at, keys.first, keys.end);
        size_t first = size_larger(keys.first, at->skipped), end = at->skipped + at->columns;
        end = end < keys.end ? end : keys.end;
        if (first < end) {
            const product_band band = {.terms = in->back.of_column + (first - at->skipped),
                                       .goes_on = true};
            tensor some = tensor_range(&turned, 0, first - at->skipped, end - first),
                   to = tensor_range(&of_head, 0, first, end - first);
            p->with->product(&some, &few, &band, &to);
        }
        pass(my, turn + range);
    }
    return true;
}

/* What comes back to the block's scores, by way of its weights. */
static back_rows make_scores_grad(const block_context *of, const block *at, scratch *in,
                                  const tensor *weights, const tensor *grad)
{
    static const stage_id WIDE[] = {STAGE_MASKED_GRAD, STAGE_CAPPED_GRAD, STAGE_SCALED_GRAD,
                                    STAGE_SCORES_GRAD};
    const plan *p = of->plan;
    void *room = in->back.grad, *masked = gathers_added(&of->back) ? in->back.masked : room;
    bool has_cap = p->asked->softcap > 0;
    tensor attended = plan_of_head(&of->made.context, at->batch, at->head);
    attended = tensor_range(&attended, 0, at->first, at->rows);
    tensor delta = block_rows_of(of, at, STAGE_DELTA, in->back.delta, 1);
    back_rows s = {.weights = *weights,
                   .weights_grad = block_scores_of(of, at, STAGE_WEIGHTS_GRAD, room),
                   .masked_grad = block_scores_of(of, at, STAGE_MASKED_GRAD, masked),
                   .scaled_grad = block_scores_of(of, at, STAGE_SCALED_GRAD, room),
                   .scores_grad = block_scores_of(of, at, STAGE_SCORES_GRAD, room)};
    s.capped_grad = has_cap ? block_scores_of(of, at, STAGE_CAPPED_GRAD, room) : s.masked_grad;
    if (has_cap)
        s.capped = block_scores_of(of, at, STAGE_CAPPED, in->back.capped);
    for (key_part part = {0}; block_next_part(of, at, in, &part);) {
        const product_band seen = {.columns = part.seen};
        packed values = panels_turned_values(&of->panels, at->batch, at->head,
                                             at->skipped + part.first, part.count, in->packed);
        tensor of_part = tensor_range(&s.weights_grad, 1, part.first, part.count);
        p->with->product(grad, &values, &seen, &of_part);
    }
    if (!of->at.where.of[STAGE_DELTA].is_given)
        make_delta(p, at, grad, &attended, &delta);
    for (size_t i = 0; i < at->rows; i++)
        make_row(p, &s, i, in->seen[i], block_row_at(&delta, i));
    for (size_t i = 0; i < sizeof WIDE / sizeof WIDE[0]; i++)
        block_fill_rest(of, at, WIDE[i], 0);
    return s;
}

/* ---- scores that are more than a product ---- */

/* Of va·tanh(inner), `bent` being the tanh: adds what va gains, and leaves what inner gains, in
 * float64 and rounded once. */
static void unbend(const plan *p, double gain, const void *va, void *bent, size_t n, void *vector)
{
    for (size_t c = 0; c < n && p->type == DTYPE_F32; c++) {
        float *t = (float *)bent + c, *sum = (float *)vector + c;
        double wide = *t, of_tanh = gain * (double)((const float *)va)[c];
        *sum = fmaf((float)gain, *t, *sum);
        *t = (float)(of_tanh * (1 - wide * wide));
    }
    for (size_t c = 0; c < n && p->type == DTYPE_F64; c++) {
        double *t = (double *)bent + c, *sum = (double *)vector + c;
        double of_tanh = gain * ((const double *)va)[c];
        *sum = fma(gain, *t, *sum);
        *t = of_tanh * (1 - *t * *t);
    }
}

/* Queries in their order, and for each its keys: what each pair's score was made of gains its
 * share. A pair whose score gains nothing gives nothing. */
static void go_back_additive(const block_context *of, const block *at, const scratch *in,
                             const tensor *scores_grad, const tensor *queries)
{
    const plan *p = of->plan;
    const gathered *to = &of->back;
    const score_parameters with = plan_score_parameters(p, at->head);
    size_t width = p->compared_width;
    tensor keys = projected_keys(&of->made, p, at->batch, at->head), q = {0}, k = {0};
    tensor vector = plan_of_head(&to->vector, at->batch, at->head),
           shift = plan_of_head(&to->shift, at->batch, at->head);
    if (to->q.data != NULL)
        q = plan_of_head(&to->q, at->batch, at->head);
    if (to->k.data != NULL)
        k = plan_of_head(&to->k, at->batch, at->head);
    for (size_t i = 0; i < at->rows; i++) {
        void *of_query = q.data == NULL ? NULL : block_row_at(&q, at->first + i);
        if (of_query != NULL)
            p->with->fill(of_query, width, 0);
        for (size_t j = in->seen[i].first; j < in->seen[i].end; j++) {
            double gain = tensor_get(scores_grad, (size_t[]){i, j});
            void *bent = in->back.bent;
            if (gain == 0)
                continue;
            p->with->add(block_row_at(queries, i), width, block_row_at(&keys, at->skipped + j),
                         keys.stride[1], bent);
            p->with->add(bent, width, with.shift.data, 1, bent);
            p->with->cap(bent, width, 1, bent);
            unbend(p, gain, with.vector.data, bent, width, vector.data);
            p->with->add(shift.data, width, bent, 1, shift.data);
            if (of_query != NULL)
                p->with->add(of_query, width, bent, 1, of_query);
            if (k.data != NULL)
                p->with->add(block_row_at(&k, at->skipped + j), width, bent, 1,
                             block_row_at(&k, at->skipped + j));
        }
    }
}

/* What is added to each product of a head gains what each score does, one chain in their order. */
static void gather_shift(const block_context *of, const block *at, const scratch *in,
                         const tensor *scores_grad)
{
    tensor shift = plan_of_head(&of->back.shift, at->batch, at->head);
    for (size_t i = 0; i < at->rows; i++) {
        for (size_t j = in->seen[i].first; j < in->seen[i].end; j++) {
            tensor one = tensor_at(scores_grad, i);
            one = tensor_range(&one, 0, j, 1);
            of->plan->with->add(shift.data, 1, one.data, 0, shift.data);
        }
    }
}

/* What all of a head's pairs of a query and a key add to, or those of several heads. */
static bool gather_alone(const block_context *of, const block *at, const scratch *in,
                         const back_rows *s, const tensor *queries, const turns *my)
{
    const plan *p = of->plan;
    const gathered *to = &of->back;
    bool is_product = p->asked->score->back == BACK_BY_PRODUCT;
    bool is_added = gathers_added(to);
    if (is_product && !is_added && to->shift.data == NULL)
        return true;
    if (!await(my, TURN_ALONE))
        return false;
    const tensor *const of_head[] = {&to->vector, &to->shift};
    for (size_t i = 0; i < 2; i++) {
        if (at->first == 0 && of_head[i]->data != NULL)
            clear_rows(p, of_head[i], at, 0, 1);
    }
    if (at->first == 0 && !is_product && to->k.data != NULL)
        clear_rows(p, &to->k, at, 0, p->n_k);
    if (is_added)
        gather_added(of, at, in, &s->masked_grad);
    if (!is_product)
        go_back_additive(of, at, in, &s->scores_grad, queries);
    else if (to->shift.data != NULL)
        gather_shift(of, at, in, &s->scores_grad);
    pass(my, TURN_ALONE);
    return true;
}

/* The products of scores_grad: with the keys for the queries, and turned with the queries for the
 * keys. */
static bool multiply_back(const block_context *of, const block *at, const scratch *in,
                          const tensor *scores_grad, const tensor *queries, const turns *my)
{
    const plan *p = of->plan;
    const gathered *to = &of->back;
    tensor rows = {0};
    if (to->q.data != NULL) {
        rows = plan_of_head(&to->q, at->batch, at->head);
        rows = tensor_range(&rows, 0, at->first, at->rows);
    }
    for (key_part part = {0}; rows.data != NULL && block_next_part(of, at, in, &part);) {
        packed keys = panels_key_rows(&of->panels, at->batch, at->head, at->skipped + part.first,
                                      part.count, in->packed);
        tensor of_part = tensor_range(scores_grad, 1, part.first, part.count);
        product_band band = {.terms = part.seen, .goes_on = part.first > 0};
        p->with->product(&of_part, &keys, &band, &rows);
    }
    return to->k.data == NULL || gather(of, at, in, scores_grad, queries, &to->k, my, TURN_KEYS);
}

bool back_block_compute(const block_context *of, block *at, scratch *in, const turns *my)
{
    const plan *p = of->plan;
    const gathered *to = &of->back;
    tensor weights;
    if (!block_weights(of, at, in, &weights))
        return false;
    find_seeing(in, at);
    if (of->at.where.of[STAGE_MASKED_GRAD].is_given) {
        /* What is added to scores takes it, and nothing else of the loop. */
        const tensor masked = block_scores_of(of, at, STAGE_MASKED_GRAD, NULL);
        if (!await(my, TURN_ALONE))
            return false;
        gather_added(of, at, in, &masked);
        pass(my, TURN_ALONE);
        return true;
    }
    /* How the loss grows with what the block attended to. */
    tensor all = plan_heads_apart(&of->at.whole[STAGE_CONTEXT_GRAD], p->heads);
    tensor of_head = plan_of_head(&all, at->batch, at->head);
    tensor grad = tensor_range(&of_head, 0, at->first, at->rows);
    tensor kept = block_rows_of(of, at, STAGE_ATTENDED_GRAD, NULL, p->v.width);
    if (kept.data != NULL)
        tensor_copy(&grad, &kept);
    if (to->v.data != NULL && !gather(of, at, in, &weights, &grad, &to->v, my, TURN_VALUES))
        return false;
    if (!places_make(&of->at.where, STAGE_DELTA) && !places_make(&of->at.where, STAGE_WEIGHTS_GRAD))
        return true;
    back_rows s = make_scores_grad(of, at, in, &weights, &grad);
    tensor queries = projected_queries(&of->made, at->batch, at->head);
    queries = tensor_range(&queries, 0, at->first, at->rows);
    assert(p->asked->score->back != 0);
    if (!gather_alone(of, at, in, &s, &queries, my))
        return false;
    return p->asked->score->back != BACK_BY_PRODUCT ||
           multiply_back(of, at, in, &s.scores_grad, &queries, my);
}
