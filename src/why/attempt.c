#include "why/attempt.h"

#include "attn/engine/rows.h"
#include "base/mem.h"
#include "compare/measure.h"
#include "why/mistake.h"
#include "why/ranking.h"

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

/* Units that are handed out to a row one by one: more are not rounding. */
static const double UNITS_MOST = 10000;

/* What largest remainders would have to hand out is little, as it is in rows that sum to 1. */
static bool may_keep_sum(const tensor *weights, int decimals)
{
    size_t at[4] = {0}, keys = weights->size[3];
    double units = pow(10, decimals), sum = 0;
    do {
        sum = (at[3] == 0 ? 0 : sum) + tensor_get(weights, at);
        if (at[3] == keys - 1 && sum != 0 && !(fabs(sum - 1) * units <= UNITS_MOST))
            return false;
    } while (tensor_next(weights, at));
    return true;
}

bool attempt_round(attempt *a, int decimals, bool keeps_sum, tensor *weights)
{
    if (keeps_sum && !may_keep_sum(weights, decimals))
        return false;
    share *shares = mem_alloc(weights->size[3], sizeof shares[0], a->e);
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

/* ---- runs ---- */

const point_stages POINT_STAGES[POINT_COUNT] = {
    [POINT_ROWS] = {3, {STAGE_Q, STAGE_K, STAGE_V}},
    [POINT_SCORES] = {1, {STAGE_SCORES}},
    [POINT_MASKED] = {1, {STAGE_MASKED}},
    [POINT_WEIGHTS] = {1, {STAGE_WEIGHTS}},
    [POINT_CONTEXT] = {2, {STAGE_ATTENDED, STAGE_CONTEXT}},
    [POINT_OUTPUT] = {1, {STAGE_OUTPUT}},
    [POINT_BACK_ROWS] = {3, {STAGE_Q_GRAD, STAGE_K_GRAD, STAGE_V_GRAD}},
};

/* All stages at first, and later those that are made of what is changed now. */
static bool is_after(const plan *p, stage_id id, point now)
{
    const point_stages *changed = &POINT_STAGES[now];
    bool is_made = now == POINT_ASKED;
    for (size_t i = 0; i < changed->count; i++) {
        if (changed->stage[i] == id)
            return false;
        is_made = is_made || plan_is_made_of(p, id, changed->stage[i]);
    }
    return is_made;
}

/* What comes out takes the place of what was there, in the same shape: rows may have been laid out
 * otherwise. */
static bool run_for(attempt *a, const plan *p, const kept_stages *w)
{
    bundle made = {0};
    run_report report;
    bool done = run_plan(p, w, a->threads, &made, &report, a->e);
    for (size_t i = 0; done && i < w->count; i++) {
        entry *found = bundle_find(&made, stage_row(w->stage[i])->key.named.name);
        tensor *to = &a->stage[w->stage[i]];
        if (kept_stages_is_given(w, w->stage[i]) ||
            (to->data != NULL && !tensor_same_shape(to, &found->tensor)))
            continue;
        tensor_free(to);
        *to = found->tensor;
        found->tensor = (tensor){0};
    }
    bundle_free(&made);
    return done;
}

static bool run(attempt *a, const plan *p, const tensor *given)
{
    kept_stages w = {.given = given};
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        if (plan_has_stage(p, id) && is_after(p, id, a->now) && !stage_is_backward(id) &&
            (id != STAGE_WEIGHTED || a->keeps_weighted) &&
            (id != STAGE_ENTROPY || a->keeps_entropy))
            kept_stages_add(&w, id);
    }
    return run_for(a, p, &w);
}

/* q, k and v were changed as inputs. */
static bool go_on_from_rows(attempt *a)
{
    plan rest;
    bool done = plan_make(&rest, &a->problem, a->with, a->e) && run(a, &rest, NULL);
    plan_free(&rest);
    return done;
}

static bool go_on(attempt *a)
{
    tensor given[STAGE_COUNT] = {{0}};
    const point_stages *changed = &POINT_STAGES[a->now];
    stage_id values = plan_stand_in(&a->plan, STAGE_PRESENT_V);
    given[values] = a->stage[values];
    for (size_t i = 0; i < changed->count; i++)
        given[changed->stage[i]] = a->stage[changed->stage[i]];
    return run(a, &a->plan, given);
}

/* ---- problems that begin at q, k and v ---- */

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

/* What is asked begins at these. */
static void begin_at(attempt *a, stage_id q, stage_id k, stage_id v)
{
    forget_rows(a);
    a->problem.in[INPUT_Q] = own_rows(a, q, a->plan.n_q);
    a->problem.in[INPUT_K] = own_rows(a, k, a->plan.k.n);
    a->problem.in[INPUT_V] = own_rows(a, v, a->plan.v.n);
}

bool attempt_turn(attempt *a, stage_id q, stage_id k, bundle *made)
{
    const problem kept = a->problem;
    kept_stages w = {0};
    run_report report;
    plan rest;
    a->problem = a->begun;
    begin_at(a, q, k, STAGE_V);
    problem_go_forward(&a->problem);
    kept_stages_add(&w, STAGE_Q_ROPE);
    kept_stages_add(&w, STAGE_K_ROPE);
    bool done = plan_make(&rest, &a->problem, a->with, a->e) &&
                run_plan(&rest, &w, a->threads, made, &report, a->e);
    plan_free(&rest);
    a->problem = kept;
    return done;
}

/* ---- the way through ---- */

/* What is changed stands nowhere in the document. */
static const bundle NOTHING;

void attempt_open(attempt *a, const problem *asked, const kernels *with, size_t threads,
                  const kept_stages *asked_for, const attempt *right)
{
    *a = (attempt){.problem = *asked, .with = with, .threads = threads, .right = right};
    a->keeps_weighted = asked_for != NULL && kept_stages_has(asked_for, STAGE_WEIGHTED);
    a->keeps_entropy = asked_for != NULL && kept_stages_has(asked_for, STAGE_ENTROPY);
    a->problem.document = &NOTHING;
    a->problem.allow_nonfinite = true;
    /* Mistakes are made in the matrices. */
    if (asked->packed_weights != NULL && asked->packed_weights->only == NULL)
        a->problem.packed_weights = NULL;
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

/* Whether the engine may round the weights. What a mistake has rounded in its place is what the
 * stage holds. */
static bool round_weights(attempt *a)
{
    const problem *asked = &a->begun;
    tensor weights = attempt_stage(a, STAGE_WEIGHTS);
    if (asked->round_decimals >= 0)
        return !asked->round_keeps_sum || may_keep_sum(&weights, asked->round_decimals);
    if (a->stage[STAGE_ROUNDED].data != NULL) {
        tensor rounded = attempt_stage(a, STAGE_ROUNDED);
        tensor_copy(&weights, &rounded);
    }
    return true;
}

void attempt_exponents(const attempt *a, tensor *masked, const tensor *logsumexp)
{
    tensor all = plan_all_axes(&a->plan, STAGE_MASKED, masked);
    size_t at[TENSOR_MAX_RANK] = {0};
    do {
        double less = tensor_get(logsumexp, (size_t[]){at[0], at[1], at[2], 0});
        tensor_set(&all, at, isinf(less) ? 0 : exp(tensor_get(&all, at) - less));
    } while (tensor_next(&all, at));
}

/* ---- the way back: what it takes of the way forward is given to it, so that what it is asked may
 * be another problem ---- */

bool attempt_back(attempt *a, const stage_id *wanted, size_t count)
{
    kept_stages w = {.given = a->back};
    for (size_t i = 0; i < count; i++) {
        if (plan_has_stage(&a->back_plan, wanted[i]))
            kept_stages_add(&w, wanted[i]);
    }
    /* The loop reads weights, queries and keys, and rules the rows that these were made of. */
    for (stage_id id = STAGE_X; id < STAGE_LOSS; id++) {
        bool is_read = a->back[id].data != NULL || id == STAGE_X_POS;
        if (is_read && plan_has_stage(&a->back_plan, id))
            kept_stages_add(&w, id);
    }
    return run_for(a, &a->back_plan, &w);
}

tensor attempt_give(attempt *a, stage_id id, const tensor *of)
{
    tensor *copy = attempt_copy(a, of);
    if (copy == NULL)
        return (tensor){0};
    a->back[id] = tensor_view_of(copy);
    return plan_all_axes(&a->back_plan, id, copy);
}

void attempt_scale(attempt *a, const stage_id *id, size_t count, double by)
{
    for (size_t i = 0; i < count; i++)
        numbers_scale(&a->stage[id[i]], by);
}

/* Queries, keys and values in the last form that they have in either plan. */
static void give_forms(attempt *a)
{
    static const stage_id LAST[] = {STAGE_Q_SCORE, STAGE_K_SCORE, STAGE_PRESENT_V};
    for (size_t i = 0; i < sizeof LAST / sizeof LAST[0]; i++) {
        stage_id there = plan_stand_in(&a->back_plan, LAST[i]);
        a->back[there] = a->stage[plan_stand_in(&a->plan, LAST[i])];
    }
}

static bool begin_back(attempt *a)
{
    static const stage_id GIVEN[] = {STAGE_CAPPED, STAGE_ROW_MAX, STAGE_ROW_SUM, STAGE_WEIGHTS,
                                     STAGE_CONTEXT};
    if (!plan_make(&a->back_plan, &a->problem, a->with, a->e))
        return false;
    give_forms(a);
    for (size_t i = 0; i < sizeof GIVEN / sizeof GIVEN[0]; i++) {
        stage_id id = plan_stand_in(&a->back_plan, GIVEN[i]);
        a->back[id] = a->stage[id];
    }
    return true;
}

/* The numbers that somebody claims of a stage, as the plan has it; no data: there are none. */
static tensor claimed(attempt *a, stage_id id)
{
    tensor like = {0}, numbers, made;
    for (size_t i = 0; i < a->from->count; i++) {
        const claim *one = &a->from->claim[i];
        if (strcmp(one->name, stage_row(id)->key.named.name) != 0)
            continue;
        plan_stage_shape(&a->plan, id, &like.rank, like.size);
        tensor *copy = attempt_matrix(a, a->plan.type, like.rank, like.size);
        if (copy == NULL || !measure_align(&one->numbers->tensor, copy, &numbers, &made))
            return (tensor){0};
        tensor_copy(&numbers, &made);
        return tensor_view_of(copy);
    }
    return (tensor){0};
}

/* Weights of the right scores with the logarithm of the sum that is claimed, and delta of the
 * results that are. */
static bool begin_at_claims(attempt *a)
{
    tensor weights = claimed(a, STAGE_WEIGHTS), logsumexp = claimed(a, STAGE_LOGSUMEXP);
    tensor context = claimed(a, STAGE_CONTEXT), attended = claimed(a, STAGE_ATTENDED),
           output = a->plan.wo.data == NULL && a->plan.bo.data == NULL ? claimed(a, STAGE_OUTPUT)
                                                                       : (tensor){0};
    if (context.data == NULL)
        context = output;
    if (context.data == NULL && attended.data != NULL) {
        tensor *made = attempt_copy(a, &a->stage[STAGE_CONTEXT]);
        if (made == NULL)
            return false;
        context = tensor_view_of(made);
        tensor rows = plan_all_axes(&a->plan, STAGE_CONTEXT, &context),
               apart = plan_heads_apart(&rows, a->plan.heads);
        attended = plan_all_axes(&a->plan, STAGE_ATTENDED, &attended);
        tensor_copy(&attended, &apart);
    }
    if (weights.data == NULL && logsumexp.data != NULL) {
        tensor *made = attempt_copy(a, &a->stage[STAGE_MASKED]);
        if (made == NULL)
            return false;
        weights = tensor_view_of(made);
        tensor of_rows = plan_all_axes(&a->plan, STAGE_LOGSUMEXP, &logsumexp);
        attempt_exponents(a, made, &of_rows);
    }
    if (weights.data != NULL)
        a->back[STAGE_WEIGHTS] = weights;
    if (context.data != NULL)
        a->back[STAGE_CONTEXT] = context;
    return weights.data != NULL || context.data != NULL;
}

static bool go_back(attempt *a)
{
    if (a->from != NULL && !begin_at_claims(a))
        return false;
    stage_id all[STAGE_COUNT];
    size_t count = 0;
    for (stage_id id = STAGE_LOSS; id < STAGE_COUNT; id++) {
        if (a->back[id].data == NULL)
            all[count++] = id;
    }
    return attempt_back(a, all, count);
}

/* What is made of gradients of q, k and v that were changed. */
static bool go_on_back(attempt *a)
{
    const point_stages *changed = &POINT_STAGES[POINT_BACK_ROWS];
    stage_id after[STAGE_COUNT];
    size_t count = 0;
    for (stage_id id = STAGE_LOSS; id < STAGE_COUNT; id++) {
        if (plan_has_stage(&a->back_plan, id) && is_after(&a->back_plan, id, POINT_BACK_ROWS))
            after[count++] = id;
    }
    for (size_t i = 0; i < changed->count; i++)
        a->back[changed->stage[i]] = a->stage[changed->stage[i]];
    return attempt_back(a, after, count);
}

/* ---- one point after the other ---- */

static bool pass(attempt *a, const mistake *const *made, size_t count)
{
    problem *p = &a->problem;
    point at = a->now;
    bool is_changed = false;
    for (size_t i = 0; i < count; i++)
        is_changed = is_changed || made[i]->at[at] != NULL;
    if (at >= POINT_BACK && !a->keeps_gradients)
        return true;
    if (at == POINT_BACK)
        *p = a->begun;
    if (at == POINT_ROWS && is_changed)
        begin_at(a, STAGE_Q, STAGE_K, STAGE_V);
    for (size_t i = 0; i < count; i++) {
        a->row = made[i];
        if (made[i]->at[at] != NULL && !made[i]->at[at](a))
            return false;
    }
    bool is_always = at == POINT_ASKED || at == POINT_BACK || at == POINT_BACK_GIVEN;
    if (!is_always && !is_changed)
        return true;
    switch (at) {
    case POINT_ASKED:
        a->begun = *p;
        return plan_make(&a->plan, &a->begun, a->with, a->e) && may_fit(a) &&
               run(a, &a->plan, NULL);
    case POINT_ROWS:
        return go_on_from_rows(a);
    case POINT_WEIGHTS:
        return round_weights(a) && go_on(a);
    case POINT_SCORES:
    case POINT_MASKED:
    case POINT_CONTEXT:
        return go_on(a);
    case POINT_BACK:
        return begin_back(a);
    case POINT_BACK_GIVEN:
        return go_back(a);
    case POINT_BACK_ROWS:
        return go_on_back(a);
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
    for (size_t i = 0; i < count && !a->keeps_gradients; i++) {
        for (point at = POINT_BACK; at < POINT_COUNT; at++)
            done = done && made[i]->at[at] == NULL;
    }
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
    plan_free(&a->back_plan);
}
