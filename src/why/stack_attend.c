/* Attention's mistakes in a stack: each attention that is meant is computed by an attempt. */
#include "base/mem.h"
#include "why/stack_attempt.h"

static bool same_shapes(const attempt *right, const attempt *wrong, const kept_stages *w)
{
    for (size_t i = 0; i < w->count; i++) {
        stage_id id = w->stage[i];
        if (wrong->stage[id].data == NULL ||
            !tensor_same_shape(&right->stage[id], &wrong->stage[id]))
            return false;
    }
    return true;
}

static bool give_stages(attempt *from, const kept_stages *w, bundle *made, err *e)
{
    for (size_t i = 0; i < w->count; i++) {
        stage_id id = w->stage[i];
        if (!bundle_add_tensor(made, stage_row(id)->key.named.name, &from->stage[id], (place){0},
                               e))
            return false;
        from->stage[id] = (tensor){0};
    }
    return true;
}

/* ---- a generation's keys and values ---- */

static bool keep_rows(tensor *past, const attempt *from, const stage_id *stages, size_t count,
                      err *e)
{
    size_t i = 0;
    while (i + 1 < count && from->stage[stages[i]].data == NULL)
        i++;
    const tensor *all = &from->stage[stages[i]];
    tensor rows = tensor_range(all, all->rank - 2, 0, from->plan.past + from->plan.k.n);
    tensor_free(past);
    return tensor_new_copy(past, &rows, e);
}

/* As they are compared and summed. */
static bool keep_past(stack_attention *one, const attempt *from, err *e)
{
    static const stage_id KEYS[] = {STAGE_PRESENT_K, STAGE_K_ROPE, STAGE_K_NORM, STAGE_K},
                          VALUES[] = {STAGE_PRESENT_V, STAGE_V};
    return keep_rows(&one->past_k, from, KEYS, sizeof KEYS / sizeof KEYS[0], e) &&
           keep_rows(&one->past_v, from, VALUES, sizeof VALUES / sizeof VALUES[0], e);
}

/* A cache that grows is given as one that is there. */
static problem asked_of(const stack_attention *one, const attention *of)
{
    problem asked = of->asked;
    asked.cache = NULL;
    asked.packed = NULL;
    if (one->past_k.data != NULL) {
        asked.in[INPUT_PAST_K] = &one->past_k;
        asked.in[INPUT_PAST_V] = &one->past_v;
    }
    return asked;
}

/* The cache itself counts the rows, from which the next ones are planned. */
static bool count_rows(const attention *of, crew *by, err *e)
{
    kept_stages output = {0};
    bundle made = {0};
    run_report report;
    kept_stages_add(&output, STAGE_OUTPUT);
    bool done = run_plan_by(&of->plan, &output, by, &made, &report, e);
    bundle_free(&made);
    return done;
}

/* ---- the whole ---- */

/* Where the mistakes can't be made all goes well. */
static bool attend(void *context, const attention *of, const kept_stages *w, crew *by, bundle *made,
                   err *e)
{
    stack_attention *one = context;
    stack_attempt *a = one->of;
    const problem asked = asked_of(one, of);
    bool goes_on = of->asked.cache != NULL, has_weighted = kept_stages_has(w, STAGE_WEIGHTED);
    attempt right, wrong;
    attempt_open(&right, &asked, of->plan.with, by->most, has_weighted, NULL);
    attempt_open(&wrong, &asked, of->plan.with, by->most, has_weighted, &right);
    bool done = attempt_make(&right, NULL, 0, e);
    bool is_made = done && one->is_meant && attempt_make(&wrong, a->wrong, a->wrong_count, e) &&
                   same_shapes(&right, &wrong, w);
    attempt *taken = is_made ? &wrong : &right;
    a->wrong_made += is_made;
    done = done && !e->is_set &&
           (!goes_on || (count_rows(of, by, e) && keep_past(one, taken, e))) &&
           give_stages(taken, w, made, e);
    attempt_free(&right);
    attempt_free(&wrong);
    return done;
}

static bool is_meant(const stack_attempt *a, size_t number, part_kind kind)
{
    const stack_scope *where = &a->scope;
    return a->wrong_count > 0 && number >= where->first && number < where->end &&
           ((kind == PART_ATTENTION && where->self) || (kind == PART_CROSS && where->cross));
}

/* Of a generation all do, whose keys and values are then at hand. */
bool stack_attend_otherwise(stack_attempt *a, err *e)
{
    a->attending = mem_alloc_zeroed(a->stack->layers, sizeof a->attending[0], e);
    for (size_t i = 0; i < a->stack->layers && a->attending != NULL; i++) {
        layer *l = &a->stack->layer[i];
        for (size_t j = 0; j < l->parts; j++) {
            layer_part *p = &l->part[j];
            stack_attention *attending = &a->attending[i][j];
            *attending = (stack_attention){.of = a, .is_meant = is_meant(a, i, p->as->kind)};
            bool goes_on = p->as->kind == PART_ATTENTION && a->of->steps != NULL &&
                           p->attention->otherwise == NULL;
            if (!attending->is_meant && !goes_on)
                continue;
            p->attention->otherwise = attend;
            p->attention->context = attending;
        }
    }
    return a->attending != NULL;
}

void stack_attend_end(stack_attempt *a)
{
    for (size_t i = 0; i < a->stack->layers && a->attending != NULL; i++) {
        for (size_t j = 0; j < PARTS_MOST; j++) {
            tensor_free(&a->attending[i][j].past_k);
            tensor_free(&a->attending[i][j].past_v);
        }
    }
    mem_free(a->attending);
}
