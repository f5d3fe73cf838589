#include "attn/engine/multiply.h"
#include "attn/engine/rows.h"
#include "base/mem.h"
#include "compare/measure.h"
#include "why/mistake.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- numbers ---- */

tensor *attempt_matrix(attempt *a, dtype type, int rank, const size_t *size)
{
    assert(a->made_count < ATTEMPT_MATRICES);
    tensor *made = &a->made[a->made_count];
    if (!tensor_new(made, type, rank, size, a->e))
        return NULL;
    a->made_count++;
    return made;
}

tensor *attempt_copy(attempt *a, const tensor *of)
{
    tensor *made = attempt_matrix(a, of->type, of->rank, of->size);
    if (made != NULL)
        tensor_copy(of, made);
    return made;
}

tensor attempt_stage(const attempt *a, stage_id id)
{
    return plan_all_axes(&a->plan, id, &a->stage[id]);
}

/* ---- the rest, where only numbers were changed ---- */

/* Units that are handed out to a row one by one: more are not rounding. */
static const double UNITS_MOST = 10000;

bool attempt_round(attempt *a, int decimals, bool keeps_sum, tensor *weights)
{
    /* What largest remainders would have to hand out is little, as it is in rows that sum to 1. */
    size_t at[4] = {0}, keys = weights->size[3];
    double units = pow(10, decimals), sum = 0;
    do {
        sum = (at[3] == 0 ? 0 : sum) + tensor_get(weights, at);
        if (keeps_sum && at[3] == keys - 1 && sum != 0 && !(fabs(sum - 1) * units <= UNITS_MOST))
            return false;
    } while (keeps_sum && tensor_next(weights, at));
    share *shares = mem_alloc(keys, sizeof shares[0], a->e);
    if (shares == NULL)
        return false;
    for (size_t unit = 0; unit < a->plan.batches * a->plan.heads; unit++) {
        tensor of = tensor_at(weights, unit / a->plan.heads);
        tensor rows = tensor_at(&of, unit % a->plan.heads);
        if (keeps_sum)
            rows_round_keep_sum(&rows, decimals, &rows, shares);
        else
            rows_round(&rows, decimals, &rows);
    }
    mem_free(shares);
    return true;
}

static void multiply_by_threads(const attempt *a, const tensor *rows, const tensor *b,
                                const tensor *bias, tensor *to)
{
    crew by;
    crew_open(&by, a->threads);
    multiply(a->plan.with, rows, b, bias, to, &by, a->e);
    crew_close(&by);
}

/* The context with its heads apart: b × h × n_q × d_v. */
static tensor context_apart(const attempt *a)
{
    tensor context = attempt_stage(a, STAGE_CONTEXT);
    return plan_heads_apart(&context, a->plan.heads);
}

/* output = context·Wo + bo. */
static bool rest_of_context(attempt *a)
{
    const plan *p = &a->plan;
    tensor from = context_apart(a), output = attempt_stage(a, STAGE_OUTPUT);
    if (p->wo.data != NULL) {
        /* Rows as products take them, b × n_q × h·d_v, wherever the heads lie. */
        size_t size[] = {p->batches, p->n_q, p->heads * p->v.width};
        tensor *joined = attempt_matrix(a, p->type, 3, size);
        if (joined == NULL)
            return false;
        tensor apart = plan_split_heads(joined, p->heads);
        tensor_copy(&from, &apart);
        for (size_t batch = 0; batch < p->batches; batch++) {
            tensor rows = tensor_at(joined, batch), to = tensor_at(&output, batch);
            multiply_by_threads(a, &rows, &p->wo, &p->bo, &to);
        }
        return true;
    }
    /* Without Wo the output is the context, and bo. */
    tensor to = plan_heads_apart(&output, p->heads);
    size_t at[4] = {0};
    do {
        size_t column = at[1] * from.size[3] + at[3];
        double bias = p->bo.data == NULL ? 0 : tensor_get(&p->bo, &column);
        tensor_set(&to, at, tensor_get(&from, at) + bias);
    } while (tensor_next(&from, at));
    return true;
}

/* rounded, where the problem still asks for it, weighted, attended, context and output. */
static bool rest_of_weights(attempt *a)
{
    const plan *p = &a->plan;
    const problem *asked = &a->problem;
    tensor weights = attempt_stage(a, STAGE_WEIGHTS),
           values = attempt_stage(a, p->past > 0 ? STAGE_PRESENT_V : STAGE_V),
           attended = attempt_stage(a, STAGE_ATTENDED), context = context_apart(a);
    values = plan_heads_apart(&values, p->kv_heads); /* b × g × n_k × d_v */
    if (a->stage[STAGE_ROUNDED].data != NULL) {
        tensor rounded = attempt_stage(a, STAGE_ROUNDED);
        tensor_copy(&weights, &rounded);
        weights = rounded;
        /* A mistake may have taken the place of the rounding. */
        if (asked->round_decimals >= 0 &&
            !attempt_round(a, asked->round_decimals, asked->round_keeps_sum, &rounded))
            return false;
    }
    /* attended = weights·v, head by head. */
    for (size_t unit = 0; unit < p->batches * p->heads; unit++) {
        size_t batch = unit / p->heads, head = unit % p->heads;
        tensor of[] = {tensor_at(&weights, batch), tensor_at(&values, batch),
                       tensor_at(&attended, batch)};
        tensor w = tensor_at(&of[0], head), v = tensor_at(&of[1], plan_kv_head(p, head)),
               out = tensor_at(&of[2], head);
        multiply_by_threads(a, &w, &v, NULL, &out);
    }
    if (a->stage[STAGE_WEIGHTED].data != NULL) {
        /* weights[i,j]·v[j] */
        tensor weighted = attempt_stage(a, STAGE_WEIGHTED);
        size_t at[TENSOR_MAX_RANK] = {0};
        do {
            size_t value[] = {at[0], plan_kv_head(p, at[1]), at[3], at[4]};
            tensor_set(&weighted, at, tensor_get(&weights, at) * tensor_get(&values, value));
        } while (tensor_next(&weighted, at));
    }
    tensor_copy(&attended, &context);
    return rest_of_context(a);
}

/* ---- runs ---- */

static bool run_from(attempt *a, const plan *p, stage_id first)
{
    bundle made = {0};
    kept_stages w = {0};
    run_report report;
    for (stage_id id = first; id < STAGE_COUNT; id++) {
        if (plan_has_stage(p, id) && (id != STAGE_WEIGHTED || a->keeps_weighted))
            kept_stages_add(&w, id);
    }
    bool done = run_plan(p, &w, a->threads, &made, &report, a->e);
    /* What comes out after a stage takes the place of what was there, in the same shape: heads that
     * were multiplied for the engine's sake have none. */
    for (stage_id id = first; done && id < STAGE_COUNT; id++) {
        entry *found = bundle_find(&made, stage_row(id)->key.named.name);
        tensor *to = &a->stage[id];
        if (found == NULL || (to->data != NULL && !tensor_same_shape(to, &found->tensor)))
            continue;
        tensor_free(to);
        *to = found->tensor;
        found->tensor = (tensor){0};
    }
    bundle_free(&made);
    return done;
}

static bool resume(attempt *a, stage_id first)
{
    plan rest;
    bool done = plan_make(&rest, &a->problem, a->with, a->e) && run_from(a, &rest, first);
    plan_free(&rest);
    return done;
}

/* ---- problems that begin later ---- */

static void forget(problem *p, input first, input last)
{
    for (input which = first; which <= last; which++)
        p->in[which] = NULL;
}

/* What matrices say of heads, they may not say for long. */
static void say_heads(problem *p, const plan *of)
{
    p->heads = of->has_heads ? of->heads : 0;
    p->kv_heads = of->has_heads ? of->kv_heads : 0;
}

/* What x said goes with it. */
static void forget_rows(attempt *a)
{
    problem *p = &a->problem;
    forget(p, INPUT_X, INPUT_WV);
    forget(p, INPUT_BQ, INPUT_BV);
    p->tokens = p->key_tokens = NULL;
    say_heads(p, &a->plan);
    p->scale_kind = SCALE_NUMBER;
    p->scale_number = a->plan.scale;
}

/* The rows of a stage that nobody appended. */
static const tensor *own_rows(attempt *a, stage_id id, size_t n)
{
    const tensor *all = &a->stage[id];
    tensor *own = &a->made[a->made_count++];
    *own = tensor_range(all, all->rank - 2, 0, n);
    return own;
}

/* A matrix of zeros, as attempt_matrix makes one. */
static tensor *zeros(attempt *a, int rank, const size_t *size)
{
    tensor *made = attempt_matrix(a, a->plan.type, rank, size);
    if (made != NULL)
        memset(made->data, 0, tensor_count(made) * dtype_size(made->type));
    return made;
}

/* The numbers as they lie, under three axes. */
static tensor reshaped(const tensor *of, const size_t size[3])
{
    tensor view;
    tensor_own(&view, of->type, 3, size, of->data);
    return tensor_view_of(&view);
}

/* Nothing happens to q and k but a product: values come as they are summed. Queries and keys, of so
 * many columns a head, are zeros in the layouts in which they came, keys for each entry of a batch
 * or for all; to be filled by views b × h × n_q × width and, b or 1, g × n_k × width. */
static bool ask_from_products(attempt *a, size_t width, bool keys_are_shared, tensor *queries,
                              tensor *keys)
{
    const plan *right = &a->plan;
    problem *p = &a->problem;
    size_t rows[] = {right->batches, right->n_q, right->heads * width},
           heads[] = {right->batches, right->heads, right->n_q, width},
           size[] = {right->batches, right->n_k, right->kv_heads * width};
    bool is_apart = plan_keeps_heads_apart(right);
    int rank = is_apart ? 4 : right->has_batch ? 3 : 2;
    size_t shared = keys_are_shared || right->batches == 1;
    forget_rows(a);
    forget(p, INPUT_PAST_K, INPUT_K_GAIN);
    forget(p, INPUT_WS, INPUT_BA);
    forget(p, INPUT_BIAS_K, INPUT_BIAS_V);
    p->adds_zero = p->normalizes = false;
    p->rope = (rope_settings){0};
    p->score = (const score *)(const void *)named_find(&SCORES, "dot", 3);
    p->in[INPUT_V] = &a->stage[right->past > 0 ? STAGE_PRESENT_V : STAGE_V];
    tensor *q = zeros(a, rank, is_apart ? heads : rows + 3 - rank);
    tensor *k = q == NULL ? NULL : zeros(a, shared ? 2 : 3, size + shared);
    if (k == NULL)
        return false;
    p->in[INPUT_Q] = q;
    p->in[INPUT_K] = k;
    size[0] = shared ? 1 : size[0];
    const tensor all_q = is_apart ? *q : reshaped(q, rows), all_k = reshaped(k, size);
    *queries = plan_heads_apart(&all_q, right->heads);
    *keys = plan_heads_apart(&all_k, right->kv_heads);
    return true;
}

/* The product of S and the unit matrix is S, from either side. Of the two the narrower is taken:
 * of a few rows of many keys the unit matrix of the keys would be n_k². From its side it stands
 * once for each head of a group, which have the same keys. */
static bool ask_from_scores(attempt *a)
{
    const plan *right = &a->plan;
    tensor scores = attempt_stage(a, STAGE_SCORES), queries, keys;
    size_t group = right->heads / right->kv_heads, at[4] = {0}, of_rows = group * right->n_q;
    bool are_keys = of_rows < right->n_k;
    if (!ask_from_products(a, are_keys ? of_rows : right->n_k, !are_keys, &queries, &keys))
        return false;
    for (size_t j = 0; !are_keys && j < right->kv_heads * right->n_k; j++) {
        size_t column = j % right->n_k;
        tensor_set(&keys, (size_t[]){0, j / right->n_k, column, column}, 1);
    }
    if (!are_keys) {
        tensor_copy(&scores, &queries);
        return true;
    }
    do {
        size_t column = at[1] % group * right->n_q + at[2];
        tensor_set(&queries, (size_t[]){at[0], at[1], at[2], column}, 1);
        tensor_set(&keys, (size_t[]){at[0], at[1] / group, at[3], column}, tensor_get(&scores, at));
    } while (tensor_next(&scores, at));
    return true;
}

/* ---- the way through ---- */

/* What is changed stands nowhere in the document. */
static const bundle NOTHING;

void attempt_open(attempt *a, const problem *asked, const kernels *with, size_t threads,
                  bool keeps_weighted, const attempt *right)
{
    *a = (attempt){.problem = *asked,
                   .with = with,
                   .threads = threads,
                   .keeps_weighted = keeps_weighted,
                   .right = right};
    a->problem.document = &NOTHING;
    a->problem.allow_nonfinite = true;
    a->problem.packed_weights = NULL; /* mistakes are made in the matrices */
}

/* Stages of other shapes are no answer, and may be much larger: of a few rows, those of all keys
 * taken for queries. */
static bool may_fit(const attempt *a)
{
    for (size_t i = 0; a->fits != NULL && i < a->fits->count; i++) {
        const claim *one = &a->fits->claim[i];
        stage_id id = stage_of(named_find(&STAGES, one->name, strlen(one->name)));
        tensor like = {0}, numbers, made;
        if (!plan_has_stage(&a->plan, id))
            return false;
        plan_stage_shape(&a->plan, id, &like.rank, like.size);
        if (!measure_align(&one->numbers->tensor, &like, &numbers, &made))
            return false;
    }
    return true;
}

static bool pass(attempt *a, const mistake *const *made, size_t count)
{
    problem *p = &a->problem;
    point at = a->now;
    bool is_changed = false;
    tensor queries, keys, masked;
    for (size_t i = 0; i < count; i++)
        is_changed = is_changed || made[i]->at[at] != NULL;
    if (at == POINT_ROWS && is_changed) {
        forget_rows(a);
        p->in[INPUT_Q] = own_rows(a, STAGE_Q, a->plan.n_q);
        p->in[INPUT_K] = own_rows(a, STAGE_K, a->plan.k.n);
        p->in[INPUT_V] = own_rows(a, STAGE_V, a->plan.v.n);
    }
    for (size_t i = 0; i < count; i++) {
        a->row = made[i];
        if (made[i]->at[at] != NULL && !made[i]->at[at](a))
            return false;
    }
    if (at != POINT_ASKED && !is_changed)
        return true;
    switch (at) {
    case POINT_ASKED:
        a->begun = *p;
        return plan_make(&a->plan, &a->begun, a->with, a->e) && may_fit(a) &&
               run_from(a, &a->plan, STAGE_X);
    case POINT_ROWS:
        return resume(a, STAGE_Q_NORM);
    case POINT_SCORES:
        /* Appended rows would be keys like others, which masks hide. */
        if (a->plan.appended > 0 || !ask_from_scores(a))
            return false;
        p->has_offset = p->causal != CAUSAL_LOWER_RIGHT;
        p->offset = a->plan.offset;
        return resume(a, STAGE_SCALED);
    case POINT_MASKED:
        masked = attempt_stage(a, STAGE_MASKED);
        if (!ask_from_products(a, 1, true, &queries, &keys))
            return false;
        p->causal = CAUSAL_NONE;
        p->has_offset = p->has_window = p->has_alibi = false;
        p->key_lengths = NULL;
        p->softcap = 0;
        p->mask_axis = MASK_AXIS_UNSAID;
        p->in[INPUT_MASK] = NULL;
        p->in[INPUT_BIAS] = attempt_copy(a, &masked);
        return resume(a, STAGE_ROW_MAX);
    case POINT_WEIGHTS:
        return rest_of_weights(a);
    case POINT_CONTEXT:
        return rest_of_context(a);
    default:
        return true;
    }
}

/* What the plan refuses can't be made; what can't be had is an error. */
bool attempt_make(attempt *a, const mistake *const *made, size_t count, err *e)
{
    err refused = {0};
    a->e = &refused;
    if (a->right != NULL)
        say_heads(&a->problem, &a->right->plan);
    bool done = true;
    for (a->now = POINT_ASKED; done && a->now < POINT_COUNT; a->now++)
        done = pass(a, made, count);
    if (!refused.is_memory)
        return done;
    *e = refused;
    return false;
}

void attempt_free(attempt *a)
{
    for (size_t i = 0; i < a->made_count; i++)
        tensor_free(&a->made[i]);
    for (stage_id id = 0; id < STAGE_COUNT; id++)
        tensor_free(&a->stage[id]);
    plan_free(&a->plan);
}
