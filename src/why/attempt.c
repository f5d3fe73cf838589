#include "why/attempt.h"

#include "why/mistake.h"
#include "why/rest.h"

#include <assert.h>
#include <string.h>

/* ---- numbers ---- */

tensor *attempt_matrix(attempt *a, dtype type, int rank, const size_t *size, err *e)
{
    assert(a->made_count < ATTEMPT_MATRICES);
    tensor *made = &a->made[a->made_count];
    if (!tensor_new(made, type, rank, size, e))
        return NULL;
    a->made_count++;
    return made;
}

tensor *attempt_copy(attempt *a, const tensor *of, err *e)
{
    tensor *made = attempt_matrix(a, of->type, of->rank, of->size, e);
    if (made != NULL)
        tensor_copy(of, made);
    return made;
}

tensor attempt_stage(const attempt *a, stage_id id)
{
    return plan_all_axes(&a->plan, id, &a->stage[id]);
}

tensor attempt_values(const attempt *a)
{
    tensor all = attempt_stage(a, a->plan.past > 0 ? STAGE_PRESENT_V : STAGE_V);
    return plan_heads_apart(&all, a->plan.kv_heads);
}

/* ---- runs ---- */

static bool run_from(attempt *a, const plan *p, stage_id first, err *e)
{
    bundle made = {0};
    kept_stages w = {0};
    run_report report;
    for (stage_id id = first; id < STAGE_COUNT; id++) {
        if (plan_has_stage(p, id) && (id != STAGE_WEIGHTED || a->keeps_weighted))
            kept_stages_add(&w, id);
    }
    bool done = run_plan(p, &w, a->threads, &made, &report, e);
    if (done) {
        /* What comes out after a stage takes the place of what was there, in the same shape:
         * heads that were multiplied for the engine's sake have none. */
        for (stage_id id = first; id < STAGE_COUNT; id++) {
            entry *found = bundle_find(&made, stage_row(id)->key.named.name);
            tensor *to = &a->stage[id];
            if (found == NULL || (to->data != NULL && !tensor_same_shape(to, &found->tensor)))
                continue;
            tensor_free(to);
            *to = found->tensor;
            found->tensor = (tensor){0};
        }
    }
    bundle_free(&made);
    return done;
}

static bool begin(attempt *a, err *e)
{
    a->begun = a->problem;
    return plan_make(&a->plan, &a->begun, a->with, e) && run_from(a, &a->plan, STAGE_X, e);
}

static bool resume(attempt *a, stage_id first, err *e)
{
    plan rest;
    bool done = plan_make(&rest, &a->problem, a->with, e) && run_from(a, &rest, first, e);
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

/* Queries in the layout in which they came, with the view b × h × n_q × width to be filled. */
static bool give_queries(attempt *a, size_t width, tensor *apart, err *e)
{
    const plan *p = &a->plan;
    bool is_apart = plan_keeps_heads_apart(p);
    size_t rows[] = {p->batches, p->n_q, p->heads * width},
           heads[] = {p->batches, p->heads, p->n_q, width};
    int rank = is_apart ? 4 : p->has_batch ? 3 : 2;
    tensor *given = attempt_matrix(a, p->type, rank, is_apart ? heads : rows + 3 - rank, e);
    if (given == NULL)
        return false;
    a->problem.in[INPUT_Q] = given;
    tensor whole = tensor_view_of(given);
    if (rank == 2) {
        whole = (tensor){.type = p->type, .rank = 3, .data = given->data};
        memcpy(whole.size, rows, sizeof rows);
        whole.stride[1] = given->stride[0];
        whole.stride[2] = given->stride[1];
    }
    *apart = plan_heads_apart(&whole, p->heads);
    return true;
}

/* n_k × g·width keys for all entries of a batch: the unit matrix for each head, or zeros. */
static bool give_keys(attempt *a, size_t width, double diagonal, err *e)
{
    const plan *p = &a->plan;
    size_t size[] = {p->n_k, p->kv_heads * width}, at[2] = {0, 0};
    tensor *keys = attempt_matrix(a, p->type, 2, size, e);
    if (keys == NULL)
        return false;
    do
        tensor_set(keys, at, at[1] % width == at[0] ? diagonal : 0);
    while (tensor_next(keys, at));
    a->problem.in[INPUT_K] = keys;
    return true;
}

/* Nothing happens to q and k but a product: values come as they are summed. */
static bool ask_from_products(attempt *a, size_t width, double diagonal, tensor *queries, err *e)
{
    problem *p = &a->problem;
    forget_rows(a);
    forget(p, INPUT_PAST_K, INPUT_K_GAIN);
    forget(p, INPUT_WS, INPUT_BA);
    forget(p, INPUT_BIAS_K, INPUT_BIAS_V);
    p->adds_zero = p->normalizes = false;
    p->rope = (rope_settings){0};
    p->score = (const score *)(const void *)named_find(&SCORES, "dot", 3);
    p->in[INPUT_V] = &a->stage[a->plan.past > 0 ? STAGE_PRESENT_V : STAGE_V];
    return give_queries(a, width, queries, e) && give_keys(a, width, diagonal, e);
}

/* Appended rows would be keys like others, which masks hide. */
static bool ask_from_scores(attempt *a, err *e)
{
    problem *p = &a->problem;
    tensor queries, scores = attempt_stage(a, STAGE_SCORES);
    if (a->plan.appended > 0 || !ask_from_products(a, a->plan.n_k, 1, &queries, e))
        return false;
    tensor_copy(&scores, &queries);
    p->has_offset = p->causal != CAUSAL_LOWER_RIGHT;
    p->offset = a->plan.offset;
    return true;
}

static bool ask_from_masked(attempt *a, err *e)
{
    problem *p = &a->problem;
    tensor queries, masked = attempt_stage(a, STAGE_MASKED);
    size_t at[4] = {0};
    if (!ask_from_products(a, 1, 0, &queries, e))
        return false;
    do
        tensor_set(&queries, at, 0);
    while (tensor_next(&queries, at));
    p->causal = CAUSAL_NONE;
    p->has_offset = p->has_window = p->has_alibi = false;
    p->key_lengths = NULL;
    p->softcap = 0;
    p->mask_axis = MASK_AXIS_UNSAID;
    p->in[INPUT_MASK] = NULL;
    p->in[INPUT_BIAS] = attempt_copy(a, &masked, e);
    return p->in[INPUT_BIAS] != NULL;
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

static bool goes_on_from(attempt *a, point at, err *e)
{
    switch (at) {
    case POINT_ASKED:
        return begin(a, e);
    case POINT_ROWS:
        return resume(a, STAGE_Q_NORM, e);
    case POINT_SCORES:
        return ask_from_scores(a, e) && resume(a, STAGE_SCALED, e);
    case POINT_MASKED:
        return ask_from_masked(a, e) && resume(a, STAGE_ROW_MAX, e);
    case POINT_WEIGHTS:
        return rest_of_weights(a, e);
    case POINT_CONTEXT:
        return rest_of_context(a, e);
    default:
        return true;
    }
}

static bool pass(attempt *a, point at, const mistake *const *made, size_t count, err *e)
{
    bool is_changed = false;
    for (size_t i = 0; i < count; i++)
        is_changed = is_changed || made[i]->at[at] != NULL;
    if (at == POINT_ROWS && is_changed) {
        forget_rows(a);
        a->problem.in[INPUT_Q] = own_rows(a, STAGE_Q, a->plan.n_q);
        a->problem.in[INPUT_K] = own_rows(a, STAGE_K, a->plan.k.n);
        a->problem.in[INPUT_V] = own_rows(a, STAGE_V, a->plan.v.n);
    }
    for (size_t i = 0; i < count; i++) {
        if (made[i]->at[at] != NULL && !made[i]->at[at](a, made[i], e))
            return false;
    }
    return (at != POINT_ASKED && !is_changed) || goes_on_from(a, at, e);
}

/* What the plan refuses can't be made; what can't be had is an error. */
bool attempt_make(attempt *a, const mistake *const *made, size_t count, err *e)
{
    err refused = {0};
    if (a->right != NULL)
        say_heads(&a->problem, &a->right->plan);
    for (point at = POINT_ASKED; at < POINT_COUNT; at++) {
        if (pass(a, at, made, count, &refused))
            continue;
        if (refused.is_memory)
            *e = refused;
        return false;
    }
    return true;
}

void attempt_free(attempt *a)
{
    for (size_t i = 0; i < a->made_count; i++)
        tensor_free(&a->made[i]);
    for (stage_id id = 0; id < STAGE_COUNT; id++)
        tensor_free(&a->stage[id]);
    plan_free(&a->plan);
}
