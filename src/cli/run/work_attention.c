#include "cli/run/work.h"

#include "base/mem.h"
#include "base/threads.h"
#include "cli/out/outputs.h"
#include "cli/out/progress.h"
#include "cli/out/said.h"
#include "kernels/kernels.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- stages that are too large to be kept ---- */

/* A stage of fewer bytes is always kept. Of a streamed one some `part` bytes are made at a time:
 * with the most a part is many blocks for each thread, and computing it once more costs little
 * next to writing so many numbers as text. */
static const size_t KEPT_LEAST = 64 << 10, PART_LEAST = 32 << 10, PART_MOST = 32 << 20;

static const char *stage_shape_text(const plan *p, stage_id id, char shape[SHAPE_TEXT])
{
    size_t size[TENSOR_MAX_RANK];
    int rank;
    plan_stage_shape(p, id, &rank, size);
    return sizes_text(rank, size, shape);
}

/* Makes the row of the stage in whose memory the matrix lies; none where it is no such stage's. */
static bool make_rows(void *context, const tensor *matrix, size_t first, size_t *count, err *e)
{
    const streamed_stages *all = context;
    for (size_t i = 0; i < all->count; i++) {
        tensor whole = streamed_stage_tensor(all->stage[i]);
        uintptr_t begin = (uintptr_t)whole.data, at = (uintptr_t)matrix->data;
        size_t number = dtype_size(whole.type), columns = whole.size[whole.rank - 1];
        if (at - begin < tensor_count(&whole) * number) /* in front of it the difference is huge */
            return streamed_stage_make(all->stage[i], (at - begin) / (columns * number) + first,
                                       count, e);
    }
    return true;
}

/* ---- planning ---- */

static bool parameters_of_attention(const work *w, text_list *names, err *e)
{
    const problem *asked = &w->of.attention.problem;
    bool done = true;
    for (input which = INPUT_X; asked->goes_back && which < INPUT_COUNT && done; which++) {
        const char *name = input_key(which);
        if (asked->in[which] != NULL && input_learns(which))
            done = text_list_add(names, name, strlen(name), e);
    }
    return done;
}

static char *EMITTED[] = {"weights", "output"};

/* Where nothing learns, gradients are of what is given in the place of what would. */
static bool emit_gradients(work *w, err *e)
{
    static const char *const GIVEN[] = {"q", "k", "v"};
    const problem *asked = &w->of.attention.problem;
    text_list learn = {0};
    bool done = parameters_of_attention(w, &learn, e), learns = learn.count > 0;
    for (size_t i = 0; i < sizeof GIVEN / sizeof GIVEN[0] && done && !learns; i++) {
        if (asked->in[input_of_key(GIVEN[i])] != NULL)
            done = text_list_add(&learn, GIVEN[i], strlen(GIVEN[i]), e);
    }
    done = done && work_emit_gradients(w, &learn, asked->loss != LOSS_NONE, e);
    text_list_free(&learn);
    return done;
}

static bool plan_attention(work *w, err *e)
{
    solution *s = &w->of.attention;
    place at = document_place(w->document);
    const isa *by = isa_by_name(w->given->isa, e);
    if (by == NULL || !problem_read(&s->problem, &w->document->contents, e))
        return false;
    if (!problem_has_inputs(&s->problem)) {
        err_at(e, &at, "there is nothing to compute with: neither x nor q, k and v");
        return at.file == NULL && err_remedy(e, "--input FILE gives x, - names standard input, for "
                                                "a document");
    }
    s->problem.allow_nonfinite = w->given->allow_nonfinite;
    s->problem.cache = w->document->cache;
    s->problem.packed_weights = w->document->packed_weights;
    if (!plan_make(&s->plan, &s->problem, by->table(s->problem.type), e))
        return false;
    if (s->problem.goes_back && !emit_gradients(w, e))
        return false;
    if (s->problem.rows == NULL)
        return true;
    /* Rows are chosen. All was checked of the whole. */
    if (s->problem.cache != NULL)
        return err_at(e, &s->problem.rows->at,
                      "rows are chosen, and the lines of a stream are its rows");
    return row_choice_read(&w->rows, s->problem.rows, "row", s->plan.n_q, e) &&
           chosen_rows_plan(&s->plan, &s->problem, &s->chosen, &w->rows, NULL, e);
}

/* ---- its stages ---- */

static bool list_attention(work *w, err *e)
{
    bool done = true;
    for (stage_id id = STAGE_X; id < STAGE_COUNT && done; id++) {
        const char *name = stage_row(id)->key.named.name;
        done = text_list_add(&w->there, name, strlen(name), e);
    }
    return done;
}

static bool want_stage(work *w, stage_id id, bool by_rows, err *e)
{
    solution *s = &w->of.attention;
    const plan *p = &s->plan;
    w->wants_weights = w->wants_weights || id == STAGE_WEIGHTS;
    if (by_rows && streamed_stage_can(p, id) && plan_has_stage(p, id) &&
        plan_stage_numbers(p, id) > KEPT_LEAST / dtype_size(p->type)) {
        s->streamed.id[s->streamed.count++] = id;
        return true;
    }
    if (!plan_check_stage(p, id, e))
        return false;
    kept_stages_add(&s->wanted, id);
    return true;
}

/* options_check_words has refused a name that no stage has. */
static bool want_of_attention(work *w, const char *name, bool by_rows, err *e)
{
    const named *found = named_find(&STAGES, name, strlen(name));
    if (found != NULL)
        return want_stage(w, stage_of(found), by_rows, e);
    bool is_any = false;
    for (stage_id id = STAGE_X; id < STAGE_COUNT; id++) {
        if (plan_has_stage(&w->of.attention.plan, id) &&
            stage_name_matches(name, stage_row(id)->key.named.name))
            is_any = want_stage(w, id, by_rows, e);
    }
    if (is_any)
        return true;
    err_set(e, "there is no stage \"%s\" here", name);
    return err_remedy(e, "selfattn help stages lists them; --emit '*' is all");
}

static bool bytes_of_attention(const work *w, const text_list *names, size_t *bytes, err *e)
{
    const plan *p = &w->of.attention.plan;
    keeper by = keeper_of(names);
    (void)e;
    *bytes = 0;
    for (stage_id id = STAGE_X; id < STAGE_COUNT; id++) {
        if (plan_has_stage(p, id) && keeper_wants(&by, stage_row(id)->key.named.name))
            *bytes = size_sum(*bytes, size_product(plan_stage_numbers(p, id), dtype_size(p->type)));
    }
    return true;
}

static bool shape_of_attention(const work *w, const char *name, tensor *like)
{
    const plan *p = &w->of.attention.plan;
    const named *row = named_find(&STAGES, name, strlen(name));
    if (row == NULL || !plan_has_stage(p, stage_of(row)))
        return false;
    *like = (tensor){.type = p->type};
    plan_stage_shape(p, stage_of(row), &like->rank, like->size);
    return true;
}

/* Weights that are written by default may be n² numbers of many rows. */
static bool check_weights(const work *w, err *e)
{
    static const size_t MOST = 1000000000;
    const plan *p = &w->of.attention.plan;
    char shape[SHAPE_TEXT];
    if (plan_stage_numbers(p, STAGE_WEIGHTS) <= MOST)
        return true;
    err_set(e, "the weights are %s, more than a billion numbers, and no option asks for them",
            stage_shape_text(p, STAGE_WEIGHTS, shape));
    return err_remedy(e, "--emit output is the output alone; --emit weights,output or --force "
                         "writes them all the same");
}

/* ---- what is asked of it ---- */

static const plan *plan_of_attention(const work *w)
{
    return &w->of.attention.plan;
}

static double operations_of_attention(const work *w)
{
    return plan_operations(&w->of.attention.plan);
}

static bool attention_has_heads(const work *w)
{
    return w->of.attention.plan.has_heads;
}

static work_limits limits_of_attention(const work *w)
{
    const plan *p = &w->of.attention.plan;
    return (work_limits){p->n_q, p->heads, p->batches, plan_is_causal(p), true};
}

static bool inputs_of_attention(const work *w, text_list *lines, err *e)
{
    const solution *s = &w->of.attention;
    const problem *whole = work_rows(w) != NULL ? &s->chosen.whole : &s->problem;
    bool done = true;
    for (input which = INPUT_X; which < INPUT_COUNT && done; which++) {
        const tensor *given = whole->in[which];
        done = given == NULL || header_add_input(lines, input_key(which), given, e);
    }
    return done;
}

static why_question question_of_attention(const work *w)
{
    const solution *s = &w->of.attention;
    return (why_question){.problem = &s->problem, .with = s->plan.with};
}

/* ---- computing ---- */

/* The weighted values take n_k times the numbers of the output. They are for teaching: more than a
 * million of them are hardly meant, and need --force. */
enum { WEIGHTED_MOST = 1000000 };

static bool check_weighted(const work *w, err *e)
{
    const solution *s = &w->of.attention;
    char shape[SHAPE_TEXT];
    if (!kept_stages_has(&s->wanted, STAGE_WEIGHTED) || s->wanted.weighted_is_one_row ||
        w->given->force || plan_stage_numbers(&s->plan, STAGE_WEIGHTED) <= WEIGHTED_MOST)
        return true;
    err_set(e, "weighted is %s, more than a million numbers",
            stage_shape_text(&s->plan, STAGE_WEIGHTED, shape));
    return err_remedy(e, "--force writes them all the same");
}

/* What is kept and what is streamed, and the bytes that all of it takes. */
typedef struct division {
    kept_stages kept;
    streamed_stages made;
    size_t bytes;
} division;

/* Stages of more numbers than that are streamed with the least room, if they can be; the others are
 * to be kept. */
static bool divide(const work *w, size_t most_numbers, size_t threads, division *to, err *e)
{
    const solution *s = &w->of.attention;
    const plan *p = &s->plan;
    *to = (division){.kept = s->wanted, .made.part = PART_LEAST};
    for (size_t i = 0; i < s->streamed.count; i++) {
        stage_id id = s->streamed.id[i];
        if (plan_stage_numbers(p, id) > most_numbers)
            to->made.id[to->made.count++] = id;
        else
            kept_stages_add(&to->kept, id);
    }
    if (!run_memory(p, &to->kept, threads, &to->bytes, e))
        return false;
    for (size_t i = 0; i < to->made.count; i++) {
        size_t one;
        if (!streamed_stage_memory(p, to->made.id[i], PART_LEAST, threads, &one, e))
            return false;
        to->bytes = size_sum(to->bytes, one);
    }
    /* --average-heads makes one more matrix for each batch entry, when the weights are there; they
     * were counted as what an address can hold. */
    if (w->given->average_heads)
        to->bytes = size_sum(to->bytes, p->batches * p->n_q * p->n_k * dtype_size(p->type));
    return true;
}

/* What can be streamed is kept up to 64 MB, and not at all where that would be too much and
 * streaming takes less. */
static bool fit_memory(work *w, size_t threads, err *e)
{
    static const size_t KEPT_MOST = 64 << 20;
    solution *s = &w->of.attention;
    const plan *p = &s->plan;
    division by, least;
    size_t limit = w->given->max_memory;
    if (!divide(w, KEPT_MOST / dtype_size(p->type), threads, &by, e))
        return false;
    if (by.bytes > limit || by.bytes > mem_left()) {
        if (!divide(w, 0, threads, &least, e))
            return false;
        by = least.bytes < by.bytes ? least : by;
    }
    if (by.bytes > limit) {
        /* Neither size depends on the limit, so the smaller one is the least that is enough. */
        err_set(e,
                "%zu bytes of memory are needed, %zu may be used: batches %zu, heads %zu, queries "
                "%zu, keys %zu",
                by.bytes, limit, p->batches, p->heads, p->n_q, p->n_k);
        return err_remedy(e, "--emit fewer stages, or raise --max-memory");
    }
    if (s->problem.packed_weights != NULL)
        packed_weights_yield(s->problem.packed_weights, mem_spare(limit, by.bytes));
    s->wanted = by.kept;
    s->streamed = by.made;
    /* They take as many bytes more, if that is of use. */
    size_t each = s->streamed.count == 0 ? 0 : mem_spare(limit, by.bytes) / s->streamed.count,
           most = PART_MOST - s->streamed.part;
    s->streamed.part += each < most ? each : most;
    return true;
}

static bool has_notes(const work *w)
{
    const solution *s = &w->of.attention;
    return s->plan.notes.count > 0 || s->report.empty_rows > 0;
}

static bool run_attention(work *w, env *world, err *e)
{
    solution *s = &w->of.attention;
    const plan *p = &s->plan;
    place at = document_place(w->document);
    size_t threads = work_threads(w, world);
    s->wanted.progress = world->progress == NULL ? NULL : &world->progress->run;
    if (!check_weighted(w, e) || !fit_memory(w, threads, e) ||
        !run_plan(p, &s->wanted, threads, &w->stages, &s->report, e))
        return false;
    /* What is streamed is made ready, and added to the stages, borrowed. */
    streamed_stages *all = &s->streamed;
    all->rows = (streamed_rows){make_rows, all};
    w->supply = all->count > 0 ? &all->rows : NULL;
    for (size_t i = 0; i < all->count; i++) {
        const char *name = stage_row(all->id[i])->key.named.name;
        all->stage[i] = streamed_stage_new(p, all->id[i], all->part, threads, e);
        if (all->stage[i] == NULL)
            return false;
        tensor whole = streamed_stage_tensor(all->stage[i]);
        if (!bundle_add_tensor(&w->stages, name, &whole, (place){0}, e))
            return false;
        bundle_find(&w->stages, name)->axes = plan_axes(p, all->id[i]);
    }
    for (size_t i = 0; i < p->notes.count; i++)
        note_say(world, w->given, &at, "%s", p->notes.item[i]);
    char rows[64];
    snprintf(rows, sizeof rows, "of %zu query rows", p->batches * p->heads * p->n_q);
    note_empty_rows(world, w->given, &at, &s->report, rows);
    note_missing_threads(world, w->given, &at, s->report.threads, s->report.threads_wanted);
    return true;
}

static bool run_attention_in(work *w, run_room *in, crew *alone, err *e)
{
    solution *s = &w->of.attention;
    if (!s->is_begun) {
        if (!check_weighted(w, e) || !fit_memory(w, 1, e))
            return false;
        run_room_set(in, &s->plan, &s->wanted, alone->most);
        s->is_begun = true;
    }
    return run_again(in, alone, &w->stages, &s->report, e);
}

/* ---- showing ---- */

static bool show_attention(work *w, shown_for use, env *world, err *e)
{
    const options *o = w->given;
    solution *s = &w->of.attention;
    step_wish wish[STEP_COUNT] = {STEP_UNWANTED};
    trace_focus focus;
    w->shown = w->drawn = &w->made;
    /* The option table has refused what is neither a step nor a stage. */
    for (size_t i = 0; use == FOR_STEPS && i < o->steps.count; i++) {
        const step_row *found = step_find(o->steps.item[i], strlen(o->steps.item[i]));
        wish[found - (const step_row *)(const void *)named_row(&STEPS, 0)] = STEP_WANTED;
    }
    if (!work_focus(w, &focus, e))
        return false;
    if (use != FOR_PICTURE || picture_is_of_gradients(o))
        trace_wants(&s->plan, focus, &s->wanted);
    else
        kept_stages_add(&s->wanted, STAGE_WEIGHTS);
    if (use == FOR_PICTURE && plan_masks(&s->plan))
        kept_stages_add(&s->wanted, STAGE_MASKED);
    bool is_all = use == FOR_STEPS && o->steps.count == 0;
    const projection *q = plan_role(&s->plan, STAGE_Q);
    return run_attention(w, world, e) &&
           trace_make(&w->made, &s->plan, &w->stages, focus, o->full, is_all ? NULL : wish, e) &&
           (use != FOR_STEPS || (work_show_entries(w, e) &&
                                 work_show_cuts(w, s->plan.heads, q->heads * q->width, world, e)));
}

static bool trace_attention_entry(const work *w, trace_focus of, trace *to, err *e)
{
    static const step_wish NONE[STEP_COUNT] = {STEP_UNWANTED};
    return trace_make(to, &w->of.attention.plan, &w->stages, of, false, NONE, e);
}

static void free_attention(work *w)
{
    solution *s = &w->of.attention;
    for (size_t i = 0; i < s->streamed.count; i++)
        streamed_stage_free(s->streamed.stage[i]);
    plan_free(&s->plan);
    problem_free(&s->problem);
    chosen_rows_free(&s->chosen);
}

const work_kind WORK_ATTENTION = {.emitted = {.item = EMITTED, .count = 2},
                                  .plan = plan_attention,
                                  .parameters = parameters_of_attention,
                                  .list = list_attention,
                                  .want = want_of_attention,
                                  .bytes = bytes_of_attention,
                                  .shape = shape_of_attention,
                                  .check_emitted = check_weights,
                                  .operations = operations_of_attention,
                                  .has_heads = attention_has_heads,
                                  .limits = limits_of_attention,
                                  .inputs = inputs_of_attention,
                                  .question = question_of_attention,
                                  .attention = plan_of_attention,
                                  .run = run_attention,
                                  .run_in = run_attention_in,
                                  .has_notes = has_notes,
                                  .show = show_attention,
                                  .trace_entry = trace_attention_entry,
                                  .free = free_attention};
