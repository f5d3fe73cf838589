#include "model/generation.h"

#include "attn/spec/angle.h"
#include "attn/engine/multiply.h"
#include "attn/spec/setting.h"
#include "attn/plan/plan.h"
#include "base/mem.h"
#include "model/embed.h"
#include "model/rows.h"

#include <math.h>

/* ---- what makes logits ---- */

/* The vocab's vectors, one below another. */
static bool gather_words(generation *g, const bundle *vocab, err *e)
{
    const size_t size[] = {vocab->count, g->stack.width};
    if (!tensor_new(&g->words, g->stack.type, 2, size, e))
        return false;
    for (size_t id = 0; id < vocab->count; id++) {
        tensor row = tensor_at(&g->words, id);
        tensor_copy(&vocab->entry[id].tensor, &row);
    }
    g->unembedding = tensor_transposed(&g->words);
    return true;
}

/* One that ids look up has a row for each id, whatever the layout. */
static bool refuse_unembedding(const generation *g, const entry *used, bool turns, err *e)
{
    const tensor *t = &used->tensor;
    size_t width = g->stack.width;
    char shape[SHAPE_TEXT];
    err_at(e, &used->at, "%s is %s, and the rows of the output are %zu wide", used->name,
           tensor_shape_text(t, shape), width);
    return g->tied_to == NULL && t->rank == 2 && t->size[turns ? 0 : 1] == width &&
           err_remedy(e, "transposed it would fit: --layout %s", turns ? "in-out" : "out-in");
}

/* The unembedding that is given, or what ids look up, turned. */
static bool find_unembedding(generation *g, err *e)
{
    const entry *own = bundle_find(g->stack.document, "unembedding"),
                *tied = bundle_find(g->stack.document, "embedding"),
                *vocab = bundle_find(g->stack.document, "vocab"), *used = own != NULL ? own : tied;
    if (used == NULL && vocab == NULL)
        return err_set(e, "there is nothing to choose from: neither an unembedding, nor an "
                          "embedding, nor a vocab");
    g->tied_to = own != NULL ? NULL : tied != NULL ? "embedding" : "vocab";
    if (used == NULL)
        return gather_words(g, vocab->bundle, e);
    const tensor *t = &used->tensor;
    bool is_out_in = setting_is_out_in(bundle_find(g->stack.document, "layout"));
    bool turns = t->rank == 2 && (own == NULL || entry_is_out_in(own, is_out_in));
    g->unembedding = turns ? tensor_transposed(t) : tensor_view_of(t);
    return (t->rank == 2 && g->unembedding.size[0] == g->stack.width) ||
           refuse_unembedding(g, used, turns, e);
}

/* Each id that may be chosen has to be looked up in the next step. */
static bool check_ids(const generation *g, err *e)
{
    size_t to_choose = g->unembedding.size[1], to_look_up = stack_ids(&g->stack);
    return to_choose <= to_look_up ||
           err_at(e, &bundle_find(g->stack.document, "unembedding")->at,
                  "the unembedding has %zu ids to choose from, and %zu can be looked up", to_choose,
                  to_look_up);
}

static bool check_positions(const generation *g, err *e)
{
    const entry *table = bundle_find(g->stack.document, "position_embedding");
    size_t last = g->stack.first_position + g->stack.rows + g->how.steps;
    if (table == NULL || last <= table->tensor.size[0] + 1)
        return true;
    return err_at(e, &table->at,
                  "position_embedding has positions up to %zu, from 0, and %zu steps "
                  "after a prompt of %zu need more",
                  table->tensor.size[0] - 1, g->how.steps, g->stack.rows);
}

/* Cross-attention may have an offset of its own, and the last row's angles must be known too. */
static bool check_angles(const generation *g, const attention *a, err *e)
{
    const plan *p = &a->plan;
    double last = (double)visible_position(p, 0, p->n_q - 1) + (double)(g->how.steps - 1);
    bool has_angles = p->rope_width > 0 || p->asked->adds_positions;
    place at = problem_place(p->asked, "offset");
    return !has_angles || last <= ANGLE_POSITION_MOST ||
           err_at(e, &at, "the last step's position is %.0f, and angles are known to %.0f", last,
                  ANGLE_POSITION_MOST);
}

static bool check_all_angles(const generation *g, err *e)
{
    for (size_t i = 0; i < g->stack.layers; i++) {
        for (size_t j = 0; j < g->stack.layer[i].parts; j++) {
            const layer_part *p = &g->stack.layer[i].part[j];
            if (p->as->kind != PART_FEED_FORWARD && !check_angles(g, p->attention, e))
                return err_within(e, "layer %zu, %s", i + 1, part_name(p->as->kind));
        }
    }
    return true;
}

static bool make_room(generation *g, err *e)
{
    const size_t size[] = {1, g->unembedding.size[1]};
    return tensor_new(&g->logits, g->stack.type, 2, size, e) &&
           (g->how.temperature == 0 || (tensor_new(&g->tempered, DTYPE_F64, 2, size, e) &&
                                        tensor_new(&g->exponentials, DTYPE_F64, 2, size, e)));
}

bool generation_open(generation *g, const bundle *document, const stack_settings *how,
                     const generation_settings *settings, const isa *by, err *e)
{
    *g = (generation){.how = *settings, .stop = SIZE_MAX};
    if (!stack_read(&g->stack, document, how, by, e))
        return false;
    const entry *rows = bundle_find(document, "rows");
    if (rows != NULL)
        return err_at(e, &rows->at, "rows are chosen, and a generation goes on with all of them");
    if (g->stack.batches > 0)
        return err_at(e, &bundle_find(document, "x")->at,
                      "a prompt is one sequence, and x is a batch of %zu", g->stack.batches);
    return find_unembedding(g, e) &&
           vector_read(g->stack.document, "unembedding_bias", NULL, g->unembedding.size[1],
                       &g->bias, e) &&
           check_ids(g, e) && check_positions(g, e) && check_all_angles(g, e) && make_room(g, e);
}

bool generation_is_done(const generation *g)
{
    return g->step == g->how.steps || (g->step > 0 && g->next == g->stop);
}

void generation_close(generation *g)
{
    stack_free(&g->stack);
    tensor_free(&g->words);
    tensor_free(&g->logits);
    tensor_free(&g->tempered);
    tensor_free(&g->exponentials);
    bundle_free(&g->made);
}

/* ---- choosing ---- */

/* NaN is less than any number; of nothing but NaN it is the first. */
static size_t greatest(const tensor *logits)
{
    size_t best = 0;
    double most = NAN;
    for (size_t id = 0; id < logits->size[1]; id++) {
        double one = tensor_get(logits, (size_t[]){0, id});
        if (one > most || (isnan(most) && !isnan(one))) {
            best = id;
            most = one;
        }
    }
    return best;
}

/* The first id up to which the probabilities add up to more than the number drawn. */
static size_t drawn(const double *share, size_t ids, double total, double number)
{
    double sum = 0;
    for (size_t id = 0; id < ids; id++) {
        sum += share[id];
        if (sum > number * total)
            return id;
    }
    return ids - 1;
}

/* A NaN, an infinity, or nothing but −∞ among the logits leaves no sum to take shares of. */
static bool check_total(const generation *g, double total, err *e)
{
    return (isfinite(total) && total > 0) ||
           err_set(e,
                   "step %zu draws among %zu ids, whose logits make no probabilities: there is a "
                   "NaN or an infinity among them",
                   g->step + 1, g->logits.size[1]);
}

static bool draw_one(generation *g, size_t *id, err *e)
{
    const kernels *with = g->stack.isa->table(DTYPE_F64);
    size_t ids = g->logits.size[1];
    double *tempered = g->tempered.data, *share = g->exponentials.data;
    row_total all;
    for (size_t i = 0; i < ids; i++)
        tempered[i] = tensor_get(&g->logits, (size_t[]){0, i}) / g->how.temperature;
    with->row_max(tempered, ids, &g->most);
    with->row_exponent(tempered, ids, &g->most, share, &all, NULL);
    g->total = all.sum + all.rest;
    if (!check_total(g, g->total, e))
        return false;
    *id = drawn(share, ids, g->total, g->how.number[g->step]);
    return true;
}

/* ---- a step ---- */

static char *const OUTPUT[] = {"output"};
static const text_list ONLY_OUTPUT = {.item = (char **)OUTPUT, .count = 1};

static const text_list *stages_of(const generation *g)
{
    return g->how.emit == NULL ? &ONLY_OUTPUT : g->how.emit;
}

bool generation_memory(const generation *g, size_t threads, size_t *bytes, err *e)
{
    return stack_memory(&g->stack, stages_of(g), threads, bytes, e);
}

/* What opening made room for, whatever is computed. */
static bool add_room(const generation *g, size_t *bytes)
{
    const tensor *const made[] = {&g->words, &g->logits, &g->tempered, &g->exponentials};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        if (made[i]->data != NULL &&
            !size_add_product(bytes, tensor_count(made[i]), dtype_size(made[i]->type)))
            return false;
    }
    return true;
}

bool generation_memory_in_all(const generation *g, size_t threads, size_t *bytes, err *e)
{
    size_t of_caches;
    if (!generation_memory(g, threads, bytes, e) ||
        !stack_cache_memory(&g->stack, g->stack.rows + g->how.steps - 1, &of_caches, e))
        return false;
    if (!size_add(*bytes, of_caches, bytes) || !add_room(g, bytes))
        *bytes = SIZE_MAX;
    return true;
}

/* The last row of the output. */
static bool compute_row(generation *g, crew *by, tensor *row, err *e)
{
    run_report report = {0};
    if (!stack_run(&g->stack, stages_of(g), by, &g->made, &report, e))
        return false;
    *row = tensor_range(&bundle_find(&g->made, "output")->tensor, 0, g->stack.rows - 1, 1);
    return true;
}

/* Rows in range may make logits that are not. */
static bool check_logits(const generation *g, err *e)
{
    size_t index[TENSOR_MAX_RANK];
    if (g->stack.how.allow_nonfinite || tensor_is_finite(&g->logits, index))
        return true;
    return err_set(e, "the logit of id %zu is beyond the range of %s", index[1],
                   dtype_name(g->logits.type));
}

bool generation_go_on(generation *g, err *e)
{
    bool is_planned = g->step == 0 || g->went_on;
    g->went_on = is_planned || stack_go_on(&g->stack, &g->next, 1, e);
    return g->went_on;
}

bool generation_step(generation *g, crew *by, err *e)
{
    tensor row;
    bundle_free(&g->made);
    bool done = generation_go_on(g, e) && compute_row(g, by, &row, e) &&
                multiply(g->stack.isa->table(g->stack.type), &row, &g->unembedding, &g->bias,
                         &g->logits, by, e) &&
                check_logits(g, e);
    if (done && g->how.temperature > 0)
        done = draw_one(g, &g->next, e);
    else if (done)
        g->next = greatest(&g->logits);
    g->step++;
    g->went_on = false;
    return done;
}
