#include "cli/check/nudged.h"

#include "cli/out/stage_names.h"

#include <math.h>
#include <string.h>

/* A run costs as much as so many more products of two numbers. */
static const double RUN = 20000;

static stage_id id_of(const char *name)
{
    return stage_of(named_find(&STAGES, name, strlen(name)));
}

/* ---- which gradients ---- */

bool nudged_can_begin(stage_id id)
{
    const stage *row = stage_row(id), *of = stage_row(row->of);
    return stage_is_backward(id) && row->of != STAGE_X &&
           (of->is_door || of->by == STAGE_BY_PROJECTION);
}

/* Of an input, or of a stage that a run can begin at. */
static bool can_nudge(const plan *p, stage_id id)
{
    return plan_has_stage(p, id) && (nudged_can_begin(id) || stage_is_of_given(id));
}

static bool list(work *w, bool takes_large, text_list *names, size_t *left, err *e)
{
    *left = 0;
    const plan *p = w->kind->attention(w);
    bool done = plan_check_stage(p, STAGE_OUTPUT_GRAD, e);
    for (stage_id id = STAGE_LOSS; done && id < STAGE_COUNT; id++) {
        const char *name = stage_row(id)->key.named.name;
        if (can_nudge(p, id) && (takes_large || plan_stage_numbers(p, id) <= NUDGED_WIDE))
            done = text_list_add(names, name, strlen(name), e);
    }
    return done;
}

/* ---- the attention that is nudged ---- */

static bool copy_given(const tensor **given, tensor *own, err *e)
{
    if (!tensor_new(own, DTYPE_F64, (*given)->rank, (*given)->size, e))
        return false;
    tensor_copy(*given, own);
    *given = own;
    return true;
}

static bool open_inputs(nudged_attention *n, err *e)
{
    problem *p = &n->problem;
    const tensor **const table = p->relative != NULL ? &p->relative : &p->key_bias;
    p->type = DTYPE_F64;
    p->allow_nonfinite = true;
    p->packed_weights = NULL;
    for (input which = INPUT_X; which < INPUT_COUNT; which++) {
        bool is_there = p->in[which] != NULL && p->in[which]->type != DTYPE_BOOL;
        if (is_there && !copy_given(&p->in[which], &n->in[which], e))
            return false;
    }
    return *table == NULL || copy_given(table, &n->table, e);
}

/* Everything at first, once; then the way forward alone. */
static bool open_attention(nudged *to, const work *w, const text_list *names, env *world, err *e)
{
    nudged_attention *n = &to->of.attention;
    kept_stages base = {0};
    run_report report;
    plan whole = {0};
    const isa *by = isa_by_name(w->given->isa, e);
    n->problem = *work_question(w, world).problem;
    n->room = run_room_new(e);
    bool done = by != NULL && n->room != NULL && open_inputs(n, e) &&
                plan_make(&whole, &n->problem, by->table(DTYPE_F64), e);
    kept_stages_add(&base, STAGE_OUTPUT_GRAD);
    kept_stages_add(&base, STAGE_ATTENDED_GRAD);
    for (size_t i = 0; i < names->count; i++) {
        const stage *row = stage_row(id_of(names->item[i]));
        if (row->of != STAGE_X)
            kept_stages_add(&base, row->of);
    }
    done = done && run_plan_by(&whole, &base, &to->by, &n->stages, &report, e);
    if (done) {
        const tensor *grad =
            bundle_tensor(&n->stages, stage_row(STAGE_OUTPUT_GRAD)->key.named.name);
        n->output_grad = plan_all_axes(&whole, STAGE_OUTPUT_GRAD, grad);
        n->logsumexp_grad = plan_given_like(&whole, INPUT_LOGSUMEXP_GRAD);
        n->has_empty_rows = report.empty_rows > 0;
    }
    plan_free(&whole);
    problem_go_forward(&n->problem);
    return done && plan_make(&n->plan, &n->problem, by->table(DTYPE_F64), e);
}

static void free_attention(nudged *of)
{
    nudged_attention *n = &of->of.attention;
    run_room_free(n->room);
    plan_free(&n->plan);
    bundle_free(&n->stages);
    for (nudged_way way = 0; way < NUDGED_WAYS; way++)
        bundle_free(&n->made[way]);
    for (input which = INPUT_X; which < INPUT_COUNT; which++)
        tensor_free(&n->in[which]);
    tensor_free(&n->table);
}

/* Where the numbers lie that the gradient is of. */
static tensor *numbers_for(nudged_attention *n, stage_id id)
{
    const stage *row = stage_row(id);
    if (id == STAGE_SLOPES_GRAD)
        return &n->plan.slopes;
    if (row->of_setting != 0)
        return &n->table;
    if (row->of_input != NULL)
        return &n->in[input_of_key(row->of_input)];
    return &bundle_find(&n->stages, stage_row(row->of)->key.named.name)->tensor;
}

static tensor *begin(nudged *of, const char *name)
{
    nudged_attention *n = &of->of.attention;
    stage_id id = id_of(name), made_of = stage_row(id)->of;
    tensor *numbers = numbers_for(n, id);
    bool is_of_stage = made_of != STAGE_X;
    memset(n->given, 0, sizeof n->given);
    n->wanted = (kept_stages){0};
    if (is_of_stage) {
        n->given[made_of] = *numbers;
        n->wanted.given = n->given;
    }
    kept_stages_add(&n->wanted, STAGE_OUTPUT);
    if (n->logsumexp_grad.data != NULL &&
        (!is_of_stage || plan_is_made_of(&n->plan, STAGE_LOGSUMEXP, made_of)))
        kept_stages_add(&n->wanted, STAGE_LOGSUMEXP);
    for (nudged_way way = 0; way < NUDGED_WAYS; way++)
        bundle_free(&n->made[way]);
    run_room_set(n->room, &n->plan, &n->wanted, of->by.most);
    return numbers;
}

static bool run(nudged *of, nudged_way way, err *e)
{
    nudged_attention *n = &of->of.attention;
    run_report report;
    plan_read_bias(&n->plan);
    return run_again(n->room, &of->by, &n->made[way], &report, e);
}

static void add_stage(const nudged_attention *n, stage_id id, const tensor *grad, moved *to)
{
    size_t at[TENSOR_MAX_RANK] = {0};
    tensor made[NUDGED_WAYS];
    for (nudged_way way = 0; way < NUDGED_WAYS; way++) {
        const tensor *found = bundle_tensor(&n->made[way], stage_row(id)->key.named.name);
        if (grad->data == NULL || found == NULL)
            return;
        made[way] = plan_all_axes(&n->plan, id, found);
    }
    do {
        double term[NUDGED_WAYS];
        for (nudged_way way = 0; way < NUDGED_WAYS; way++)
            term[way] = tensor_get(&made[way], at);
        moved_add(to, term, tensor_get(grad, at));
    } while (tensor_next(grad, at));
}

/* Δ output·output_grad + Δ logsumexp·logsumexp_grad */
static void add_moved(const nudged *of, moved *to)
{
    const nudged_attention *n = &of->of.attention;
    add_stage(n, STAGE_OUTPUT, &n->output_grad, to);
    add_stage(n, STAGE_LOGSUMEXP, &n->logsumexp_grad, to);
}

static double operations(const nudged *of)
{
    return plan_operations(&of->of.attention.plan) + RUN;
}

const nudged_kind NUDGED_ATTENTION = {.list = list,
                                      .open = open_attention,
                                      .begin = begin,
                                      .run = run,
                                      .add_moved = add_moved,
                                      .operations = operations,
                                      .free = free_attention};
