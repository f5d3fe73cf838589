#include "why/stack_attempt.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *stack_stage_of(const why_question *of, const claim *one)
{
    return of->steps == NULL ? one->name : strchr(strchr(one->name, '.') + 1, '.') + 1;
}

bool stack_stage_layer(const char *name, size_t *number)
{
    return sscanf(name, "layer.%zu.", number) == 1;
}

const named *any_mistake_row(const any_mistake *made)
{
    return made->of_stack != NULL ? &made->of_stack->named : &made->of_attention->named;
}

tensor *stack_attempt_matrix(stack_attempt *a, dtype type, int rank, const size_t *size, err *e)
{
    tensor *larger = mem_grow(a->made, a->made_count, &a->made_capacity, sizeof larger[0], e);
    if (larger == NULL)
        return NULL;
    a->made = larger;
    tensor *made = &a->made[a->made_count];
    if (!tensor_new(made, type, rank, size, e))
        return NULL;
    a->made_count++;
    return made;
}

bool stack_change_parts(stack_attempt *a, part_change change, int kind, int with, err *e)
{
    bool is_any = false;
    for (size_t i = a->scope.first; i < a->scope.end; i++) {
        layer *l = &a->stack->layer[i];
        for (size_t j = 0; j < l->parts; j++) {
            if (kind == PART_ALL || l->part[j].as->kind == (part_kind)kind)
                is_any = change(a, &l->part[j], &a->row[i][j], with, e) || is_any;
        }
    }
    return is_any && !e->is_set;
}

/* ---- reading ---- */

static bool make(stack_attempt *a, const stack_mistake *one, err *e)
{
    if (one->norm != NULL)
        return stack_change_norms(a, one->norm, one->with, e);
    if (one->feed_forward != NULL)
        return stack_change_feed_forwards(a, one->feed_forward, one->with, e);
    if (one->part != NULL)
        return stack_change_parts(a, one->part, one->kind, one->with, e);
    return one->make(a, one->with, e);
}

static bool make_at(stack_attempt *a, stack_point at, err *e)
{
    for (size_t i = 0; i < a->made_together; i++) {
        const stack_mistake *one = a->together[i].of_stack;
        if (one != NULL && one->at == at && !make(a, one, e))
            return false;
    }
    return true;
}

/* Rows of its own, which may be changed. */
static bool copy_rows(stack_attempt *a, err *e)
{
    a->row = mem_alloc_zeroed(a->stack->layers, sizeof a->row[0], e);
    for (size_t i = 0; i < a->stack->layers && a->row != NULL; i++) {
        layer *l = &a->stack->layer[i];
        for (size_t j = 0; j < l->parts; j++) {
            a->row[i][j] = *l->part[j].as;
            l->part[j].as = &a->row[i][j];
        }
    }
    return a->row != NULL;
}

static bool read_stack(stack_attempt *a, err *e)
{
    const why_question *of = a->of;
    stack_settings how = of->how;
    how.allow_nonfinite = true;
    how.packed_weights = NULL; /* mistakes are made in the matrices */
    return of->steps == NULL
               ? stack_read(a->stack, &a->document, &how, of->by, e)
               : generation_open(&a->generation, &a->document, &how, of->steps, of->by, e);
}

static bool read(stack_attempt *a, err *e)
{
    for (size_t i = 0; i < a->made_together; i++) {
        if (a->together[i].of_attention != NULL)
            a->wrong[a->wrong_count++] = a->together[i].of_attention;
    }
    return bundle_borrow_all(&a->document, a->of->document, e) && make_at(a, STACK_ASKED, e) &&
           read_stack(a, e) && copy_rows(a, e) && make_at(a, STACK_READ, e) &&
           stack_attend_otherwise(a, e);
}

/* ---- computing ---- */

/* A sum to which nothing was added is what the part made: "layer.0.ffn_sum", "layer.0.ffn.output".
 * False where it is not a sum. */
static bool name_summand(const char *sum, char out[STAGE_NAME])
{
    static const char SUM[] = "_sum", OUTPUT[] = ".output";
    size_t length = strlen(sum), least = sizeof SUM - 1;
    if (length < least || strcmp(sum + length - least, SUM) != 0 ||
        length - least + sizeof OUTPUT > STAGE_NAME)
        return false;
    memcpy(out, sum, length - least);
    memcpy(out + length - least, OUTPUT, sizeof OUTPUT);
    return true;
}

static const char *own_name(const stack_attempt *a, size_t index)
{
    return stack_stage_of(a->of, &a->of->claims.claim[index]);
}

/* Of a generation, whether it is of the step that was done last. */
static bool is_of_this_step(const stack_attempt *a, size_t index)
{
    const char *name = a->of->claims.claim[index].name;
    return a->of->steps == NULL ||
           strtoul(strchr(name, '.') + 1, NULL, 10) + 1 == a->generation.step;
}

static bool want_name(text_list *names, const char *name, err *e)
{
    return text_list_find(names, name) != NULL || text_list_add(names, name, strlen(name), e);
}

static bool want(const stack_attempt *a, text_list *names, err *e)
{
    char summand[STAGE_NAME];
    bool done =
        text_list_index(names, e) && (a->of->steps == NULL || want_name(names, "output", e));
    for (size_t i = 0; done && i < a->of->claims.count; i++) {
        const char *name = own_name(a, i);
        done = want_name(names, name, e) &&
               (!name_summand(name, summand) || want_name(names, summand, e));
    }
    return done;
}

/* Rows, n × b × m, as b × n × m, or as n × m where there was no batch; borrowed. */
static tensor turned_back(const stack_attempt *a, const tensor *rows)
{
    tensor back = tensor_view_of(rows);
    if (rows->rank != 3)
        return back;
    for (int axis = 0; axis < 2; axis++) {
        back.size[axis] = rows->size[1 - axis];
        back.stride[axis] = rows->stride[1 - axis];
    }
    return a->had_batch ? back : tensor_at(&back, 0);
}

static bool take_one(stack_attempt *a, size_t index, const bundle *made, err *e)
{
    char summand[STAGE_NAME];
    const char *name = own_name(a, index);
    const tensor *found = bundle_tensor(made, name);
    tensor *to = &a->computed[index];
    if (found == NULL && name_summand(name, summand))
        found = bundle_tensor(made, summand);
    if (found == NULL)
        return true;
    tensor as_asked = a->is_turned ? turned_back(a, found) : tensor_view_of(found);
    if (!tensor_new_copy(to, &as_asked, e))
        return false;
    if (a->loses_digits)
        numbers_keep_as(to, a->kept_as);
    return true;
}

static bool take(stack_attempt *a, const bundle *made, err *e)
{
    bool done = true;
    for (size_t i = 0; done && i < a->of->claims.count; i++)
        done = !is_of_this_step(a, i) || take_one(a, i, made, e);
    return done;
}

static bool run_pass(stack_attempt *a, const text_list *names, crew *by, err *e)
{
    bundle made = {0};
    run_report report = {0};
    bool done = make_at(a, STACK_ROWS, e) && stack_run(a->stack, names, by, &made, &report, e) &&
                take(a, &made, e);
    bundle_free(&made);
    return done;
}

/* Each goes on with what the one before has chosen, whether that is right or not. */
static bool run_steps(stack_attempt *a, const text_list *names, crew *by, err *e)
{
    generation *g = &a->generation;
    g->how.emit = names;
    while (!generation_is_done(g)) {
        if (!generation_go_on(g, e) || !make_at(a, STACK_ROWS, e) || !generation_step(g, by, e) ||
            !stack_steps_add(a, &g->made, e) || !take(a, &g->made, e))
            return false;
    }
    return true;
}

static bool run(stack_attempt *a, err *e)
{
    text_list names = {0};
    crew by;
    a->computed = mem_alloc_zeroed(a->of->claims.count, sizeof a->computed[0], e);
    crew_open(&by, a->of->threads);
    bool done = a->computed != NULL && want(a, &names, e) &&
                (a->of->steps == NULL ? run_pass(a, &names, &by, e) : run_steps(a, &names, &by, e));
    crew_close(&by);
    text_list_free(&names);
    return done && (a->wrong_count == 0 || a->wrong_made > 0);
}

/* What is refused can't be made; what can't be had is an error. */
bool stack_attempt_make(stack_attempt *a, const why_question *of, const stack_scope *where,
                        const any_mistake *made, size_t count, err *e)
{
    err refused = {0};
    *a = (stack_attempt){.of = of, .scope = *where, .together = made, .made_together = count};
    a->stack = &a->generation.stack;
    bool done = read(a, &refused) && run(a, &refused);
    if (refused.is_memory)
        *e = refused;
    return done;
}

void stack_attempt_free(stack_attempt *a)
{
    for (size_t i = 0; i < a->of->claims.count && a->computed != NULL; i++)
        tensor_free(&a->computed[i]);
    mem_free(a->computed);
    stack_attend_end(a);
    generation_close(&a->generation);
    for (size_t i = 0; i < a->made_count; i++)
        tensor_free(&a->made[i]);
    mem_free(a->made);
    mem_free(a->row);
    bundle_free(&a->layers);
    bundle_free(&a->document);
}
