#include "why/stack_attempt.h"

#include "base/mem.h"
#include "model/experts.h"
#include "model/stack_back.h"
#include "model/stack_run.h"
#include "model/stages.h"
#include "why/attempt.h"
#include "why/mistake.h"
#include "why/ranking.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *stack_stage_of(const why_question *of, const claim *one)
{
    return of->steps == NULL ? one->name : strchr(strchr(one->name, '.') + 1, '.') + 1;
}

tensor *stack_attempt_matrix(stack_attempt *a, dtype type, int rank, const size_t *size)
{
    tensor *larger = mem_grow(a->made, a->made_count, &a->made_capacity, sizeof larger[0], a->e);
    if (larger == NULL)
        return NULL;
    a->made = larger;
    tensor *made = &a->made[a->made_count];
    if (!tensor_new(made, type, rank, size, a->e))
        return NULL;
    a->made_count++;
    return made;
}

/* ---- attention's mistakes: each attention that is meant is computed by an attempt ---- */

static void keep_rows(tensor *past, const attempt *from, stage_id present, err *e)
{
    const tensor *all = &from->stage[plan_stand_in(&from->plan, present)];
    tensor rows = tensor_range(all, all->rank - 2, 0, from->plan.past + from->plan.k.n);
    tensor_free(past);
    tensor_new_copy(past, &rows, e);
}

/* Where the mistakes can't be made all goes well. */
static bool attend(void *context, const attention *of, const kept_stages *w, crew *by, bundle *made,
                   err *e)
{
    stack_attention *one = context;
    stack_attempt *a = one->of;
    /* A cache that grows is given as one that is there. */
    problem asked = of->asked;
    asked.cache = NULL;
    asked.packed = NULL;
    if (one->past_k.data != NULL) {
        asked.in[INPUT_PAST_K] = &one->past_k;
        asked.in[INPUT_PAST_V] = &one->past_v;
    }
    bool goes_back = w->count > 0 && stage_is_backward(w->stage[w->count - 1]);
    if (!goes_back) /* what comes back is not there yet */
        problem_go_forward(&asked);
    attempt right, wrong;
    attempt_open(&right, &asked, of->plan.with, by->most, w, NULL);
    attempt_open(&wrong, &asked, of->plan.with, by->most, w, &right);
    right.keeps_gradients = wrong.keeps_gradients = goes_back;
    bool done = attempt_make(&right, NULL, 0, e);
    bool is_made = done && one->is_meant && attempt_make(&wrong, a->wrong, a->wrong_count, e);
    for (size_t i = 0; is_made && i < w->count; i++) {
        const tensor *it = &wrong.stage[w->stage[i]];
        is_made = tensor_same_shape(&right.stage[w->stage[i]], it);
    }
    attempt *taken = is_made ? &wrong : &right;
    a->wrong_made += is_made;
    if (done && of->asked.cache != NULL) {
        /* The cache itself counts the rows, from which the next ones are planned; they are kept as
         * they are compared and summed. */
        kept_stages output = {0};
        bundle counted = {0};
        run_report report;
        kept_stages_add(&output, STAGE_OUTPUT);
        run_plan_by(&of->plan, &output, by, &counted, &report, e);
        keep_rows(&one->past_k, taken, STAGE_PRESENT_K, e);
        keep_rows(&one->past_v, taken, STAGE_PRESENT_V, e);
        bundle_free(&counted);
    }
    for (size_t i = 0; done && i < w->count; i++) {
        tensor *numbers = &taken->stage[w->stage[i]];
        bundle_add_tensor(made, stage_row(w->stage[i])->key.named.name, numbers, (place){0}, e);
    }
    attempt_free(&right);
    attempt_free(&wrong);
    return done && !e->is_set;
}

/* Of a generation all do, whose keys and values are then at hand. */
static bool attend_otherwise(stack_attempt *a)
{
    const stack_scope *where = &a->scope;
    a->attending = mem_alloc_zeroed(a->stack->layers, sizeof a->attending[0], a->e);
    for (size_t i = 0; i < a->stack->layers && a->attending != NULL; i++) {
        layer *l = &a->stack->layer[i];
        bool is_in = a->wrong_count > 0 && i >= where->first && i < where->end;
        for (size_t j = 0; j < l->parts; j++) {
            layer_part *p = &l->part[j];
            part_kind kind = p->as->kind;
            bool is_meant = is_in && ((kind == PART_ATTENTION && where->self) ||
                                      (kind == PART_CROSS && where->cross));
            bool goes_on =
                kind == PART_ATTENTION && a->of->steps != NULL && p->attention->otherwise == NULL;
            a->attending[i][j] = (stack_attention){.of = a, .is_meant = is_meant};
            if (!is_meant && !goes_on)
                continue;
            p->attention->otherwise = attend;
            p->attention->context = &a->attending[i][j];
        }
    }
    return a->attending != NULL;
}

/* ---- what a step has made besides the stages of its stack ---- */

static void add_choice_and_past(const stack_attempt *a, bundle *made)
{
    err *e = a->e;
    const generation *g = &a->generation;
    bundle_add_copy(made, "logits", &g->logits, (place){0}, e);
    bundle_add_copy(made, "tempered", &g->tempered, (place){0}, e);
    bundle_add_copy(made, "exponentials", &g->exponentials, (place){0}, e);
    bundle_add_copy(made, "probabilities", &g->exponentials, (place){0}, e);
    entry *all = bundle_find(made, "probabilities");
    for (size_t at[] = {0, 0}; all != NULL && at[1] < all->tensor.size[1]; at[1]++)
        tensor_set(&all->tensor, at, tensor_get(&all->tensor, at) / g->total);
    bundle_add_number(made, "choice", (double)g->next, (place){0}, e);
    for (size_t i = 0; i < a->stack->layers; i++) {
        for (size_t j = 0; j < a->stack->layer[i].parts; j++) {
            const stack_attention *attending = &a->attending[i][j];
            const stage_way within = stage_way_of_layer(i),
                            way = stage_way_on(&within,
                                               part_name(a->stack->layer[i].part[j].as->kind));
            char k[STAGE_NAME], v[STAGE_NAME];
            stage_name_in_full(&way, "present_k", k);
            stage_name_in_full(&way, "present_v", v);
            bundle_add_copy(made, k, &attending->past_k, (place){0}, e);
            bundle_add_copy(made, v, &attending->past_v, (place){0}, e);
        }
    }
}

/* ---- mistakes ---- */

bool stack_change_parts(stack_attempt *a, part_change change, int kind)
{
    bool is_any = false;
    for (size_t i = a->scope.first; i < a->scope.end; i++) {
        layer *l = &a->stack->layer[i];
        for (size_t j = 0; j < l->parts; j++) {
            if (kind == PART_ALL || l->part[j].as->kind == (part_kind)kind)
                is_any = change(a, &l->part[j], &a->row[i][j]) || is_any;
        }
    }
    return is_any && !a->e->is_set;
}

bool layer_uses_norm(const layer *l, size_t number)
{
    for (size_t i = 0; i < l->parts; i++) {
        if (l->part[i].as->ln_before == number || l->part[i].as->ln_after == number)
            return true;
    }
    return false;
}

/* In a part, or in all experts that stand in its place. False where it could be made in none. */
static bool change_feed_forwards(stack_attempt *a, const layer_part *p, feed_forward_change change)
{
    expert_mix *m = p->experts;
    bool is_any = p->feed_forward != NULL && change(a, p->feed_forward);
    for (size_t i = 0; m != NULL && i < m->count; i++)
        is_any = change(a, &m->expert[i]) || is_any;
    return (m != NULL && m->has_shared && change(a, &m->shared)) || is_any;
}

/* In each norm that is used in the layers that are meant, and with all layers those around them; in
 * each feed-forward part, likewise. False where it could be made in none. */
static bool make(stack_attempt *a, const mistake *one)
{
    stack *s = a->stack;
    bool is_any = false;
    if (one->make != NULL)
        return one->make(a);
    if (one->part != NULL)
        return stack_change_parts(a, one->part, one->kind);
    for (size_t i = a->scope.first; i < a->scope.end; i++) {
        layer *l = &s->layer[i];
        for (size_t number = 1; one->norm != NULL && number <= NORMS_MOST; number++)
            is_any = (layer_uses_norm(l, number) && one->norm(a, &l->norm[number - 1])) || is_any;
        for (size_t j = 0; one->feed_forward != NULL && j < l->parts; j++)
            is_any = change_feed_forwards(a, &l->part[j], one->feed_forward) || is_any;
    }
    if (one->norm != NULL && a->scope.is_whole && s->has_first)
        is_any = one->norm(a, &s->first) || is_any;
    if (one->norm != NULL && a->scope.is_whole && s->has_final)
        is_any = one->norm(a, &s->final) || is_any;
    if (one->feed_forward != NULL && a->scope.is_whole && s->has_end)
        is_any = one->feed_forward(a, &s->end); /* of a stack whose layers have none */
    return is_any;
}

/* A feed-forward part comes after its layer's attention, whose stage is the last that is asked
 * about. */
static bool comes_later(const stack_attempt *a, const mistake *one)
{
    stage_id id;
    return one->feed_forward != NULL && a->last != NULL && a->stack->layers == 1 &&
           stack_plan_of(a->stack, a->last, &id) != NULL;
}

static bool make_at(stack_attempt *a, stack_point at)
{
    for (size_t i = 0; i < a->made_together; i++) {
        const mistake *one = a->together[i];
        if (!one->is_of_layers || one->when != at)
            continue;
        a->with = one->with;
        const bool is_settled = i < a->of->settled_count;
        if (comes_later(a, one) ? !is_settled : !make(a, one))
            return false;
    }
    return true;
}

/* ---- computing ---- */

/* A sum to which nothing was added is what the part made: "layer.0.ffn_sum", "layer.0.ffn.output";
 * and so are their gradients. False where it is not a sum. */
static bool name_summand(const char *sum, char out[STAGE_NAME])
{
    static const char SUM[] = "_sum";
    const char *end = strstr(sum, SUM);
    if (end != NULL)
        snprintf(out, STAGE_NAME, "%.*s.output%s", (int)(end - sum), sum, end + sizeof SUM - 1);
    return end != NULL;
}

static void want_name(text_list *names, const char *name, err *e)
{
    if (text_list_find(names, name) == NULL)
        text_list_add(names, name, strlen(name), e);
}

/* What was made of the claims' stages; of a generation those of the step that was done last. */
static bool take(stack_attempt *a, bundle *made)
{
    if (a->of->steps != NULL)
        add_choice_and_past(a, made);
    for (size_t i = 0; i < a->of->claims.count; i++) {
        const claim *one = &a->of->claims.claim[i];
        char summand[STAGE_NAME];
        const char *name = stack_stage_of(a->of, one);
        const tensor *found = bundle_tensor(made, name);
        if (a->of->steps != NULL &&
            strtoul(strchr(one->name, '.') + 1, NULL, 10) + 1 != a->generation.step)
            continue;
        if (found == NULL && name_summand(name, summand))
            found = bundle_tensor(made, summand);
        if (found == NULL || a->computed[i].data != NULL)
            continue;
        tensor as_asked = tensor_view_of(found);
        if (a->is_turned && found->rank == 3) {
            /* n × b × m is b × n × m again, or n × m where there was no batch. */
            for (int axis = 0; axis < 2; axis++) {
                as_asked.size[axis] = found->size[1 - axis];
                as_asked.stride[axis] = found->stride[1 - axis];
            }
            if (!a->had_batch)
                as_asked = tensor_at(&as_asked, 0);
        }
        if (!tensor_new_copy(&a->computed[i], &as_asked, a->e))
            return false;
        /* One row in the place of a sum to which nothing was added: it says nothing yet. */
        if (a->looks && found->size[0] < a->stack->embedded.size[0] &&
            tensor_count(found) < tensor_count(&one->numbers->tensor)) {
            a->is_narrow = true;
            a->error = 0;
        }
        if (a->loses_digits)
            numbers_keep_as(&a->computed[i], a->kept_as);
    }
    return !a->e->is_set;
}

/* Between the ways. */
static bool turn(void *context, tape *t)
{
    stack_attempt *a = context;
    a->tape = t;
    return make_at(a, STACK_TURN);
}

/* Where nothing goes back, nothing can be wrong with that. */
static bool is_gone_back(const stack_attempt *a)
{
    bool is_meant = false;
    for (size_t i = 0; i < a->made_together; i++)
        is_meant = is_meant || (a->together[i]->is_of_layers && a->together[i]->when >= STACK_TURN);
    return !is_meant || a->tape != NULL;
}

/* The claim's numbers in the shape of these rows, b·n × m, or b × m where one row is looked at;
 * false: it is of another stage, or has none. */
static bool take_rows(const stack_attempt *a, const claim *one, const char *name,
                      const tensor *rows, tensor *to)
{
    const entry *numbers = one->numbers;
    if (strcmp(one->name, name) != 0 || numbers == NULL)
        return false;
    const tensor *all = &numbers->tensor;
    const bool is_narrow = a->looks && tensor_count(all) == tensor_count(rows) * a->only.of;
    if (!is_narrow && tensor_count(all) != tensor_count(rows))
        return false;
    const size_t row_bytes = rows->size[1] * dtype_size(all->type);
    char *first = all->data;
    tensor_own(to, all->type, rows->rank, rows->size,
               first + (is_narrow ? a->looked_at * row_bytes : 0));
    if (is_narrow)
        to->stride[0] *= (ptrdiff_t)a->only.of;
    to->owns = false;
    return true;
}

/* Whether the last of the claims' stages is there: an attention's are before its output is. */
static bool is_last(const stack_attempt *a, const char *name)
{
    const char *end = strrchr(name, '.'), *last = a->last;
    if (last == NULL || strcmp(name, last) == 0 || end == NULL)
        return last != NULL && strcmp(name, last) == 0;
    const size_t within = (size_t)(end - name);
    return strcmp(end, ".output") == 0 && strncmp(name, last, within + 1) == 0 &&
           named_find(&STAGES, last + within + 1, strlen(last + within + 1)) != NULL;
}

/* How many times the claim's tolerance rows are off from these of its numbers. */
static double tolerances_off(const claim *of, const tensor *numbers, const tensor *computed)
{
    const entry rows = {.kind = ENTRY_TENSOR, .tensor = *numbers};
    claim alone = *of;
    alone.numbers = &rows;
    const fit found = fit_of(&(claims){.claim = &alone, .count = 1}, computed);
    return found.error == 0 ? 0 : found.error / found.tol;
}

static bool is_of_several(const claims *of, const claim *one)
{
    size_t count = 0;
    for (size_t i = 0; i < of->count; i++)
        count += strcmp(of->claim[i].name, one->name) == 0;
    return count > 1;
}

/* What was computed is kept, and the rows that are given take its place: of several claims of one
 * stage those that are nearest. */
static bool go_by_claims(void *context, const char *name, const tensor *rows)
{
    stack_attempt *a = context;
    const claims *given = &a->of->given, *of = &a->of->claims;
    tensor stands_in = {0}, there = tensor_view_of(rows), one;
    double nearest = INFINITY;
    if (a->loses != NULL)
        a->loses(a, name, rows);
    if (a->is_turned)
        return true;
    for (size_t i = 0; i < given->count && stands_in.data == NULL; i++)
        take_rows(a, &given->claim[i], name, rows, &stands_in);
    const bool is_given = stands_in.data != NULL;
    for (size_t i = 0; i < of->count && a->of->goes_by_claims && !is_given; i++) {
        if (!take_rows(a, &of->claim[i], name, rows, &one))
            continue;
        tensor *kept = &a->computed[i];
        if (!tensor_new_copy(kept, rows, a->e))
            return false;
        if (a->loses_digits)
            numbers_keep_as(kept, a->kept_as);
        const tensor *like = &of->claim[i].numbers->tensor;
        const bool is_narrow = tensor_count(like) != tensor_count(rows);
        if (is_narrow && i + 1 == of->count) {
            a->is_narrow = true;
            a->error = tolerances_off(&of->claim[i], &one, kept);
        }
        const double off =
            is_of_several(of, &of->claim[i]) ? tolerances_off(&of->claim[i], &one, kept) : 0;
        stands_in = stands_in.data == NULL || off < nearest ? one : stands_in;
        nearest = fmin(nearest, off);
        if (!is_narrow)
            tensor_own(kept, kept->type, like->rank, like->size, kept->data);
    }
    if (stands_in.data != NULL)
        tensor_copy(&stands_in, &there);
    a->is_over = is_last(a, name);
    return !a->is_over;
}

static bool run(stack_attempt *a)
{
    const claims *of = &a->of->claims;
    generation *g = &a->generation;
    text_list names = {0};
    bundle made = {0};
    run_report report = {0};
    crew by;
    bool is_of_steps = a->of->steps != NULL;
    a->computed = mem_alloc_zeroed(of->count, sizeof a->computed[0], a->e);
    a->stack->turn = turn;
    a->stack->turned = a;
    if (a->of->goes_by_claims || a->of->given.count > 0) {
        a->loses = a->stack->change;
        a->stack->change = go_by_claims;
        a->stack->changed = a;
    }
    crew_open(&by, a->of->threads);
    text_list_index(&names, a->e);
    if (is_of_steps)
        want_name(&names, "output", a->e);
    for (size_t i = 0; i < of->count; i++) {
        char summand[STAGE_NAME];
        const char *name = stack_stage_of(a->of, &of->claim[i]);
        want_name(&names, name, a->e);
        if (name_summand(name, summand))
            want_name(&names, summand, a->e);
    }
    bool done = !a->e->is_set;
    if (done && !is_of_steps)
        done = make_at(a, STACK_ROWS) &&
               (stack_run(a->stack, &names, &by, &made, &report, a->e) ||
                (a->is_over && !a->e->is_set)) &&
               take(a, &made) && is_gone_back(a) && make_at(a, STACK_END);
    /* Each step goes on with what the one before has chosen, whether that is right or not. */
    g->emit = &names;
    while (done && is_of_steps && !generation_is_done(g))
        done = generation_go_on(g, a->e) && make_at(a, STACK_ROWS) &&
               generation_step(g, &by, a->e) && take(a, &g->made) && is_gone_back(a);
    bundle_free(&made);
    crew_close(&by);
    text_list_free(&names);
    return done && (a->wrong_count == 0 || a->wrong_made > 0);
}

/* One that is neither the first nor the last, of which some masks leave nothing. */
static bool look_at_one(stack_attempt *a)
{
    const size_t rows = a->stack->rows;
    a->looked_at = rows / 4 * 3;
    a->only = (row_choice){.row = &a->looked_at, .count = 1, .of = rows};
    return !a->looks || a->is_turned || stack_narrow_after(a->stack, &a->only, a->e);
}

/* What is refused can't be made; what can't be had is an error. */
static bool make_attempt(stack_attempt *a, const why_question *of, const stack_scope *where,
                         const mistake *const *made, size_t count, bool looks, err *e)
{
    err refused = {0};
    *a = (stack_attempt){.of = of, .scope = *where, .e = &refused, .looks = looks};
    a->last = looks && of->claims.count > 0 ? of->claims.claim[of->claims.count - 1].name : NULL;
    a->stack = &a->generation.stack;
    for (size_t i = 0; i < of->settled_count + count; i++) {
        const mistake *one = i < of->settled_count ? of->settled[i] : made[i - of->settled_count];
        a->together[a->made_together++] = one;
        if (!one->is_of_layers)
            a->wrong[a->wrong_count++] = one;
    }
    stack_settings how = of->how;
    how.allow_nonfinite = true;
    how.packed_weights = of->kept;
    bool done =
        bundle_borrow_all(&a->document, of->document, &refused) && make_at(a, STACK_ASKED) &&
        (of->steps == NULL
             ? stack_read(a->stack, &a->document, &how, of->by, &refused)
             : generation_open(&a->generation, &a->document, &how, of->steps, of->by, &refused));
    if (done && of->settled_count > 0) /* what is settled is so everywhere */
        a->scope =
            (stack_scope){.is_whole = true, .end = a->stack->layers, .self = true, .cross = true};
    if (done)
        a->row = mem_alloc_zeroed(a->stack->layers, sizeof a->row[0], &refused);
    for (size_t i = 0; i < a->stack->layers && a->row != NULL; i++) {
        layer *l = &a->stack->layer[i];
        for (size_t j = 0; j < l->parts; j++) {
            a->row[i][j] = *l->part[j].as;
            l->part[j].as = &a->row[i][j]; /* of its own, which may be changed */
        }
    }
    done = done && a->row != NULL && make_at(a, STACK_READ) && attend_otherwise(a) &&
           look_at_one(a) && run(a);
    if (refused.is_memory)
        *e = refused;
    return done;
}

bool stack_attempt_make(stack_attempt *a, const why_question *of, const stack_scope *where,
                        const mistake *const *made, size_t count, err *e)
{
    return make_attempt(a, of, where, made, count, false, e);
}

bool stack_attempt_try(stack_attempt *a, const why_question *of, const stack_scope *where,
                       const mistake *const *made, size_t count, err *e)
{
    const bool done = make_attempt(a, of, where, made, count, of->goes_by_claims, e);
    a->error = done && a->is_narrow ? a->error : INFINITY;
    if (!done || !a->is_narrow)
        return done;
    if (!(a->error <= 1))
        return false;
    stack_attempt_free(a);
    return make_attempt(a, of, where, made, count, false, e);
}

void stack_attempt_free(stack_attempt *a)
{
    for (size_t i = 0; i < a->of->claims.count && a->computed != NULL; i++)
        tensor_free(&a->computed[i]);
    mem_free(a->computed);
    for (size_t i = 0; i < a->stack->layers && a->attending != NULL; i++) {
        for (size_t j = 0; j < PARTS_MOST; j++) {
            tensor_free(&a->attending[i][j].past_k);
            tensor_free(&a->attending[i][j].past_v);
        }
    }
    mem_free(a->attending);
    generation_close(&a->generation);
    for (size_t i = 0; i < a->made_count; i++)
        tensor_free(&a->made[i]);
    mem_free(a->made);
    mem_free(a->row);
    bundle_free(&a->layers);
    bundle_free(&a->document);
}
