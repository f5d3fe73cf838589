#include "why/stack_attempt.h"

#include "base/mem.h"

#include <string.h>

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

/* ---- attention's mistakes ---- */

static bool same_shapes(const attempt *right, const attempt *wrong, const wanted *w)
{
    for (size_t i = 0; i < w->count; i++) {
        stage_id id = w->stage[i];
        if (wrong->stage[id].data == NULL ||
            !tensor_same_shape(&right->stage[id], &wrong->stage[id]))
            return false;
    }
    return true;
}

static bool give_stages(attempt *from, const wanted *w, bundle *made, err *e)
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

/* Where the mistakes can't be made all goes well. */
static bool attend(void *context, const attention *of, const wanted *w, crew *by, bundle *made,
                   err *e)
{
    stack_attempt *a = context;
    attempt right, wrong;
    bool looked_at[STAGE_COUNT] = {false};
    for (size_t i = 0; i < w->count; i++)
        looked_at[w->stage[i]] = true;
    attempt_open(&right, &of->asked, of->plan.with, by->most, looked_at, NULL);
    attempt_open(&wrong, &of->asked, of->plan.with, by->most, looked_at, &right);
    bool done = attempt_make(&right, NULL, 0, e);
    bool is_made =
        done && attempt_make(&wrong, a->wrong, a->wrong_count, e) && same_shapes(&right, &wrong, w);
    a->wrong_made += is_made;
    done = done && !e->is_set && give_stages(is_made ? &wrong : &right, w, made, e);
    attempt_free(&right);
    attempt_free(&wrong);
    return done;
}

static bool is_meant(const stack_scope *where, part_kind kind)
{
    return (kind == PART_ATTENTION && where->self) || (kind == PART_CROSS && where->cross);
}

static void attend_otherwise(stack_attempt *a)
{
    for (size_t i = a->scope.first; i < a->scope.end && a->wrong_count > 0; i++) {
        layer *l = &a->stack.layer[i];
        for (size_t j = 0; j < l->parts; j++) {
            if (!is_meant(&a->scope, l->part[j].as->kind))
                continue;
            l->part[j].attention.otherwise = attend;
            l->part[j].attention.context = a;
        }
    }
}

/* ---- reading ---- */

static bool ask(stack_attempt *a, const stack_made *made, size_t count, err *e)
{
    if (!bundle_borrow_all(&a->document, a->of->document, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        const stack_mistake *one = made[i].of_stack;
        if (one != NULL && one->asked != NULL && !one->asked(a, one->with, e))
            return false;
    }
    return true;
}

/* Rows of its own, which may be changed. */
static bool copy_rows(stack_attempt *a, err *e)
{
    a->row = mem_alloc_zeroed(a->stack.layers, sizeof a->row[0], e);
    for (size_t i = 0; i < a->stack.layers && a->row != NULL; i++) {
        layer *l = &a->stack.layer[i];
        for (size_t j = 0; j < l->parts; j++) {
            a->row[i][j] = *l->part[j].as;
            l->part[j].as = &a->row[i][j];
        }
    }
    return a->row != NULL;
}

static bool read(stack_attempt *a, const stack_made *made, size_t count, err *e)
{
    stack_settings how = a->of->how;
    how.allow_nonfinite = true;
    if (!stack_read(&a->stack, &a->document, &how, a->of->by, e) || !copy_rows(a, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        const stack_mistake *one = made[i].of_stack;
        if (made[i].of_attention != NULL)
            a->wrong[a->wrong_count++] = made[i].of_attention;
        if (one != NULL && one->read != NULL && !one->read(a, one->with, e))
            return false;
    }
    attend_otherwise(a);
    return true;
}

/* ---- computing ---- */

/* A sum to which nothing was added is what the part made: "layer.0.ffn_sum", "layer.0.ffn.output".
 * False where it is no sum. */
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

static bool want(const stack_attempt *a, text_list *names, err *e)
{
    char summand[STAGE_NAME];
    for (size_t i = 0; i < a->of->claims.count; i++) {
        const char *name = a->of->claims.claim[i].name;
        if (!text_list_add(names, name, strlen(name), e) ||
            (name_summand(name, summand) && !text_list_add(names, summand, strlen(summand), e)))
            return false;
    }
    return true;
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

static bool take(stack_attempt *a, const bundle *made, err *e)
{
    char summand[STAGE_NAME];
    size_t count = a->of->claims.count;
    a->computed = mem_alloc_zeroed(count, sizeof a->computed[0], e);
    for (size_t i = 0; i < count && a->computed != NULL; i++) {
        const char *name = a->of->claims.claim[i].name;
        const tensor *found = bundle_tensor(made, name);
        if (found == NULL && name_summand(name, summand))
            found = bundle_tensor(made, summand);
        if (found == NULL)
            continue;
        tensor as_asked = a->is_turned ? turned_back(a, found) : tensor_view_of(found);
        if (!tensor_new(&a->computed[i], as_asked.type, as_asked.rank, as_asked.size, e))
            return false;
        tensor_copy(&as_asked, &a->computed[i]);
    }
    return a->computed != NULL;
}

static bool run(stack_attempt *a, err *e)
{
    text_list names = {0};
    bundle made = {0};
    run_report report = {0};
    crew by;
    crew_open(&by, a->of->threads);
    bool done = want(a, &names, e) && stack_run(&a->stack, &names, &by, &made, &report, e) &&
                take(a, &made, e);
    crew_close(&by);
    bundle_free(&made);
    text_list_free(&names);
    return done && (a->wrong_count == 0 || a->wrong_made > 0);
}

/* What is refused can't be made; what can't be had is an error. */
bool stack_attempt_make(stack_attempt *a, const stack_question *of, const stack_scope *where,
                        const stack_made *made, size_t count, err *e)
{
    err refused = {0};
    *a = (stack_attempt){.of = of, .scope = *where};
    bool done = ask(a, made, count, &refused) && read(a, made, count, &refused) && run(a, &refused);
    if (refused.is_memory)
        *e = refused;
    return done;
}

void stack_attempt_free(stack_attempt *a)
{
    for (size_t i = 0; i < a->of->claims.count && a->computed != NULL; i++)
        tensor_free(&a->computed[i]);
    mem_free(a->computed);
    stack_free(&a->stack);
    for (size_t i = 0; i < a->made_count; i++)
        tensor_free(&a->made[i]);
    mem_free(a->made);
    mem_free(a->row);
    bundle_free(&a->layers);
    bundle_free(&a->document);
}
