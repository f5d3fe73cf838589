#include "model/generation.h"

#include "attn/engine/multiply.h"
#include "attn/plan/plan.h"
#include "attn/spec/angle.h"
#include "base/mem.h"
#include "model/embed.h"
#include "model/stack_run.h"

#include <math.h>
#include <string.h>

/* Cross-attention may have an offset of its own, and the last row's angles must be known too. */
static bool check_angles(const generation *g, err *e)
{
    for (size_t i = 0; i < g->stack.parts; i++) {
        const layer_part *part = &g->stack.part[i];
        if (part->as->kind == PART_FEED_FORWARD)
            continue;
        const plan *p = &part->attention->plan;
        double last = (double)visible_position(p, 0, p->n_q - 1) + (double)(g->how.steps - 1);
        if ((p->rope_width == 0 && !p->asked->adds_positions) || last <= ANGLE_POSITION_MOST)
            continue;
        place at = problem_place(p->asked, "offset");
        err_at(e, &at, "the last step's position is %.0f, and angles are known to %.0f", last,
               ANGLE_POSITION_MOST);
        return layer_part_failed(part, e);
    }
    return true;
}

bool generation_open(generation *g, const bundle *document, const stack_settings *how,
                     const generation_settings *settings, const isa *by, err *e)
{
    static char *OUTPUT[] = {"output"};
    static const text_list ONLY_OUTPUT = {.item = OUTPUT, .count = 1};
    const stack *s = &g->stack;
    *g = (generation){.how = *settings, .stop = SIZE_MAX, .emit = &ONLY_OUTPUT};
    if (!stack_read(&g->stack, document, how, by, e))
        return false;
    const entry *rows = bundle_find(document, "rows");
    if (rows != NULL)
        return err_at(e, &rows->at, "rows are chosen, and a generation goes on with all of them");
    const entry *x = bundle_find(document, "x"),
                *given = x != NULL ? x : bundle_find(document, "ids");
    if (s->batches > 0)
        return err_at(e, &given->at, "a prompt is one sequence, and %s is a batch of %zu",
                      given->name, s->batches);
    if (!unembedding_find(&g->unembedding, s, e))
        return false;
    size_t to_choose = g->unembedding.weight.size[1], to_look_up = stack_ids(s);
    /* Each id that may be chosen has to be looked up in the next step. */
    if (to_choose > to_look_up)
        return err_at(e, &bundle_find(s->document, "unembedding")->at,
                      "the unembedding has %zu ids to choose from, and %zu can be looked up",
                      to_choose, to_look_up);
    const entry *table = bundle_find(s->document, "position_embedding");
    size_t last = s->first_position + s->rows + g->how.steps;
    if (table != NULL && last > table->tensor.size[0] + 1)
        return err_at(e, &table->at,
                      "position_embedding has positions up to %zu, from 0, and %zu steps "
                      "after a prompt of %zu need more",
                      table->tensor.size[0] - 1, g->how.steps, s->rows);
    const size_t size[] = {1, to_choose};
    g->chosen = mem_alloc(g->how.steps, sizeof g->chosen[0], e);
    return g->chosen != NULL && check_angles(g, e) && tensor_new(&g->logits, s->type, 2, size, e) &&
           (g->how.temperature == 0 || (tensor_new(&g->tempered, DTYPE_F64, 2, size, e) &&
                                        tensor_new(&g->exponentials, DTYPE_F64, 2, size, e)));
}

bool generation_is_done(const generation *g)
{
    return g->step == g->how.steps || (g->step > 0 && g->next == g->stop);
}

void generation_close(generation *g)
{
    stack_free(&g->stack);
    unembedding_free(&g->unembedding);
    tensor_free(&g->logits);
    tensor_free(&g->tempered);
    tensor_free(&g->exponentials);
    bundle_free(&g->made);
    mem_free(g->chosen);
}

/* ---- choosing ---- */

/* The first id up to which the probabilities add up to more than the number drawn. Without a
 * temperature, of the greatest logit: NaN is less than any number; of nothing but NaN it is the
 * first. */
static bool choose(generation *g, size_t *id, err *e)
{
    const kernels *with = g->stack.isa->table(DTYPE_F64);
    size_t ids = g->logits.size[1];
    double most = NAN, sum = 0;
    row_total all;
    *id = 0;
    if (g->how.temperature == 0) {
        for (size_t i = 0; i < ids; i++) {
            double one = tensor_get(&g->logits, (size_t[]){0, i});
            if (one > most || (isnan(most) && !isnan(one))) {
                *id = i;
                most = one;
            }
        }
        return true;
    }
    double *tempered = g->tempered.data, *share = g->exponentials.data;
    for (size_t i = 0; i < ids; i++)
        tempered[i] = tensor_get(&g->logits, (size_t[]){0, i}) / g->how.temperature;
    with->row_max(tempered, ids, &g->most);
    with->row_exponent(tempered, ids, &g->most, share, &all, NULL);
    g->total = all.sum + all.rest;
    /* A NaN, an infinity, or nothing but −∞ among the logits leaves no sum to take shares of. */
    if (!isfinite(g->total) || g->total <= 0)
        return err_set(e,
                       "step %zu draws among %zu ids, whose logits make no probabilities: there is "
                       "a NaN or an infinity among them",
                       g->step + 1, ids);
    for (size_t i = 0; i < ids && sum <= g->how.number[g->step] * g->total; i++) {
        sum += share[i];
        *id = i;
    }
    return true;
}

/* ---- a step ---- */

bool generation_memory_in_all(const generation *g, size_t *bytes, err *e)
{
    /* What opening made room for, whatever is computed. */
    const tensor *const made[] = {&g->unembedding.words, &g->logits, &g->tempered,
                                  &g->exponentials};
    size_t of_caches, of_made = 0;
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        of_made += made[i]->data == NULL ? 0 : tensor_count(made[i]) * dtype_size(made[i]->type);
    if (!stack_cache_memory(&g->stack, g->stack.rows + g->how.steps - 1, &of_caches, e))
        return false;
    *bytes = size_sum(*bytes, size_sum(of_made, of_caches));
    return true;
}

bool generation_go_on(generation *g, err *e)
{
    bool is_planned = g->step == 0 || g->went_on;
    g->went_on = is_planned || stack_go_on(&g->stack, &g->next, 1, e);
    return g->went_on;
}

bool generation_step(generation *g, crew *by, err *e)
{
    const stack *s = &g->stack;
    run_report report = {0};
    size_t index[TENSOR_MAX_RANK];
    static const text_list NOTHING = {0};
    const keeper unkept = keeper_of(&NOTHING);
    head_rows of_head = {0};
    bundle_free(&g->made);
    bool done = generation_go_on(g, e) && stack_run(s, g->emit, by, &g->made, &report, e);
    if (done) { /* the last row of the output goes on */
        tensor row = tensor_range(&bundle_find(&g->made, "output")->tensor, 0, s->rows - 1, 1);
        const kernels *with = s->isa->table(s->type);
        done = (!s->has_head ||
                head_run(&s->head, with, by, &row, s->how.allow_nonfinite, &of_head, &unkept, e)) &&
               unembedding_run(&g->unembedding, with, s->has_head ? head_made(&of_head) : &row,
                               &g->logits, &unkept, by, e);
        head_rows_free(&of_head);
    }
    /* Rows in range may make logits that are not. */
    if (done && !s->how.allow_nonfinite && !tensor_is_finite(&g->logits, index))
        done = err_set(e, "the logit of id %zu is beyond the range of %s", index[1],
                       dtype_name(g->logits.type));
    done = done && choose(g, &g->next, e);
    g->chosen[g->step++] = g->next;
    g->went_on = false;
    return done;
}

/* ---- the whole sequence ---- */

/* A list of numbers, or rows, and those of what was chosen after them. */
static bool add_rows(const generation *g, const entry *given, bundle *whole, err *e)
{
    const tensor *t = &given->tensor;
    bool is_of_ids = strcmp(given->name, "ids") == 0;
    size_t size[TENSOR_MAX_RANK] = {1}, more = g->step - 1;
    tensor longer;
    for (int axis = 0; axis < t->rank; axis++)
        size[axis] = t->size[axis];
    size_t first = size[0];
    size[0] += more;
    if (!tensor_new(&longer, t->type, t->rank == 0 ? 1 : t->rank, size, e))
        return false;
    tensor before = t->rank == 0 ? tensor_at(&longer, 0) : tensor_range(&longer, 0, 0, first);
    tensor_copy(t, &before);
    for (size_t i = 0; i < more; i++) {
        tensor room, to = tensor_at(&longer, first + i);
        if (to.rank > 0)
            stack_take_row(&g->stack, stack_row_of_id(&g->stack, g->chosen[i], &room), &to);
        else
            tensor_set(&to, NULL, is_of_ids ? (double)g->chosen[i] : stack_id_given(t, first - 1));
    }
    return bundle_add_tensor(whole, given->name, &longer, given->at, e);
}

bool generation_document(const generation *g, bundle *whole, err *e)
{
    const bundle *given = g->stack.document;
    bool done = true;
    for (size_t i = 0; i < given->count && done; i++) {
        const entry *one = &given->entry[i];
        const char *name = one->name;
        if (strcmp(name, "x") == 0 || strcmp(name, "ids") == 0 || strcmp(name, "segments") == 0) {
            done = add_rows(g, one, whole, e);
        } else if (strcmp(name, "tokens") != 0) {
            done = bundle_borrow(whole, name, one, e) != NULL;
        } else {
            done = bundle_add_list(whole, name, &one->list, one->at, e);
            for (size_t j = 0; done && j + 1 < g->step; j++) {
                char digits[ID_DIGITS];
                const char *word = stack_name_of_id(&g->stack, g->chosen[j], digits);
                done = text_list_add(&bundle_find(whole, name)->list, word, strlen(word), e);
            }
        }
    }
    return done;
}
