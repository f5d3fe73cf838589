#include "cli/run/solve.h"

#include "base/mem.h"
#include "base/threads.h"
#include "cli/out/note.h"
#include "cli/out/progress.h"

#include <stdint.h>
#include <stdio.h>

/* ---- stages that are too large to be kept ---- */

/* A stage of fewer bytes is always kept. Of a streamed one some `part` bytes are made at a time:
 * with the most a part is many blocks for each thread, and computing it once more costs little
 * next to writing so many numbers as text. */
static const size_t KEPT_LEAST = 64 << 10, PART_LEAST = 32 << 10, PART_MOST = 32 << 20;

/* True, and added, where the stage may be one of those: it takes more than 64 KB. */
static bool streamed_stages_add(streamed_stages *all, const plan *p, stage_id id)
{
    size_t size[TENSOR_MAX_RANK], count;
    int rank;
    if (!streamed_stage_can(p, id) || !plan_has_stage(p, id))
        return false;
    plan_stage_shape(p, id, &rank, size);
    if (!sizes_count(rank, size, &count) || count <= KEPT_LEAST / dtype_size(p->type))
        return false;
    all->numbers[all->count] = count;
    all->id[all->count++] = id;
    return true;
}

/* Those of more numbers than that, with the least room; the others are to be kept. */
static void streamed_stages_split(const streamed_stages *all, size_t most_numbers,
                                  streamed_stages *above, kept_stages *others)
{
    *above = (streamed_stages){.part = PART_LEAST};
    for (size_t i = 0; i < all->count; i++) {
        if (all->numbers[i] > most_numbers)
            above->id[above->count++] = all->id[i];
        else
            kept_stages_add(others, all->id[i]);
    }
}

/* The memory that they take together, while nothing else is computed. */
static bool streamed_stages_memory(const streamed_stages *all, const plan *p, size_t threads,
                                   size_t *bytes, err *e)
{
    size_t one;
    *bytes = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (!streamed_stage_memory(p, all->id[i], all->part, threads, &one, e))
            return false;
        if (!size_add(*bytes, one, bytes))
            return err_no_memory(e, SIZE_MAX);
    }
    return true;
}

/* The stage in whose memory the matrix lies, and its row there; NULL: it is no such stage's. */
static streamed_stage *find(const streamed_stages *all, const tensor *matrix, size_t first,
                            size_t *row)
{
    for (size_t i = 0; i < all->count; i++) {
        tensor whole = streamed_stage_tensor(all->stage[i]);
        uintptr_t begin = (uintptr_t)whole.data, at = (uintptr_t)matrix->data;
        size_t number = dtype_size(whole.type), columns = whole.size[whole.rank - 1];
        if (at < begin || at - begin >= tensor_count(&whole) * number)
            continue;
        *row = (at - begin) / (columns * number) + first;
        return all->stage[i];
    }
    return NULL;
}

static bool make(void *context, const tensor *matrix, size_t first, size_t *count, err *e)
{
    size_t row;
    streamed_stage *of = find(context, matrix, first, &row);
    return of == NULL || streamed_stage_make(of, row, count, e);
}

/* Makes them ready, and adds them to `result`, borrowed. `all` stays where it is from now on. */
static bool streamed_stages_start(streamed_stages *all, const plan *p, size_t threads,
                                  bundle *result, err *e)
{
    all->rows = (streamed_rows){make, all};
    for (size_t i = 0; i < all->count; i++) {
        const char *name = stage_row(all->id[i])->key.named.name;
        all->stage[i] = streamed_stage_new(p, all->id[i], all->part, threads, e);
        if (all->stage[i] == NULL)
            return false;
        tensor whole = streamed_stage_tensor(all->stage[i]);
        if (!bundle_add_tensor(result, name, &whole, (place){0}, e))
            return false;
        bundle_find(result, name)->axes = p->axes[all->id[i]];
    }
    return true;
}

/* ---- one document ---- */

/* The weighted values are n_k times the output: for teaching, not for files by accident (DESIGN:
 * above a million only with --force). */
enum { WEIGHTED_MOST = 1000000 };

static bool check_inputs(const solution *s, const document *one, err *e)
{
    place at = document_place(one);
    if (problem_has_inputs(&s->problem))
        return true;
    err_at(e, &at, "there is nothing to compute with: neither x nor q, k and v");
    if (at.file == NULL)
        err_remedy(e, "--input FILE gives x, - names standard input, for a document");
    return false;
}

static bool plan_it(solution *s, const bundle *contents, const document *one, const options *o,
                    const isa *by, err *e)
{
    if (!problem_read(&s->problem, contents, e) || !check_inputs(s, one, e))
        return false;
    s->problem.allow_nonfinite = o->allow_nonfinite;
    s->problem.cache = one->cache;
    s->problem.packed_weights = one->packed_weights;
    return plan_make(&s->plan, &s->problem, by->table(s->problem.type), e);
}

/* All was checked of the whole, and what is to be noted is noted of it. */
static bool plan_chosen(solution *s, const document *one, const options *o, const isa *by, err *e)
{
    plan of_whole = s->plan;
    bool done =
        s->problem.cache == NULL ||
        err_at(e, &s->problem.rows->at, "rows are chosen, and the lines of a stream are its rows");
    s->whole = s->problem;
    of_whole.asked = &s->whole;
    if (s->whole.in[INPUT_X] == &s->problem.looked_up)
        s->whole.in[INPUT_X] = &s->whole.looked_up;
    s->problem = (problem){0};
    s->plan = (plan){0};
    done = done && row_choice_read(&s->rows, s->whole.rows, "row", of_whole.n_q, e) &&
           chosen_rows_document(&s->chosen, &of_whole, &s->rows, e) &&
           plan_it(s, &s->chosen, one, o, by, e);
    s->problem.number = s->rows.row;
    text_list_free(&s->plan.notes);
    s->plan.notes = of_whole.notes;
    of_whole.notes = (text_list){0};
    plan_free(&of_whole);
    return done;
}

bool solution_plan(solution *s, const document *one, const options *o, err *e)
{
    *s = (solution){.at = document_place(one)};
    const isa *by = isa_by_name(o->isa, e);
    return by != NULL && plan_it(s, &one->contents, one, o, by, e) &&
           (s->problem.rows == NULL || plan_chosen(s, one, o, by, e));
}

static bool check_weighted(const solution *s, const options *o, err *e)
{
    size_t size[TENSOR_MAX_RANK], count;
    int rank;
    if (!kept_stages_has(&s->wanted, STAGE_WEIGHTED) || s->wanted.weighted_is_one_row || o->force)
        return true;
    plan_stage_shape(&s->plan, STAGE_WEIGHTED, &rank, size);
    if (sizes_count(rank, size, &count) && count <= WEIGHTED_MOST)
        return true;
    char shape[SHAPE_TEXT];
    err_set(e, "weighted is %s, more than a million numbers", sizes_text(rank, size, shape));
    return err_remedy(e, "--force writes them all the same");
}

bool solution_want(solution *s, const stage_id *ids, size_t count, err *e)
{
    for (size_t i = 0; i < count; i++) {
        if (!plan_check_stage(&s->plan, ids[i], e))
            return false;
        kept_stages_add(&s->wanted, ids[i]);
    }
    return true;
}

bool solution_want_rows(solution *s, stage_id id)
{
    return streamed_stages_add(&s->streamed, &s->plan, id);
}

size_t solution_threads(const solution *s, const options *o, const env *world)
{
    return o->has_threads ? o->threads
                          : threads_worth(world->processors, plan_operations(&s->plan));
}

/* --average-heads makes one more matrix for each batch entry, when the weights are there. */
static size_t average_memory(const plan *p, const options *o)
{
    const size_t size[] = {p->batches, p->n_q, p->n_k};
    size_t count = 0, bytes = 0;
    bool fits = !o->average_heads ||
                (sizes_count(3, size, &count) && size_mul(count, dtype_size(p->type), &bytes));
    return fits ? bytes : SIZE_MAX;
}

/* What is kept and what is streamed, and the bytes that all of it takes. */
typedef struct division {
    kept_stages kept;
    streamed_stages made;
    size_t bytes;
} division;

/* Stages of more numbers than that are streamed, if they can be. */
static bool divide(const solution *s, size_t most_numbers, size_t threads, const options *o,
                   division *to, err *e)
{
    size_t of_rows;
    to->kept = s->wanted;
    streamed_stages_split(&s->streamed, most_numbers, &to->made, &to->kept);
    if (!run_memory(&s->plan, &to->kept, threads, &to->bytes, e) ||
        !streamed_stages_memory(&to->made, &s->plan, threads, &of_rows, e))
        return false;
    if (!size_add(to->bytes, average_memory(&s->plan, o), &to->bytes) ||
        !size_add(to->bytes, of_rows, &to->bytes))
        to->bytes = SIZE_MAX;
    return true;
}

/* Neither size depends on the limit, so the smaller one is the least limit that is enough. */
static bool refuse_memory(const plan *p, size_t bytes, size_t limit, err *e)
{
    err_set(e,
            "%zu bytes of memory are needed, %zu may be used: batches %zu, heads %zu, queries %zu, "
            "keys %zu",
            bytes, limit, p->batches, p->heads, p->n_q, p->n_k);
    return err_remedy(e, "--emit fewer stages, or raise --max-memory");
}

/* What can be streamed is kept up to 64 MB, and not at all where that would be too much. */
static bool fit_memory(solution *s, size_t threads, const options *o, err *e)
{
    static const size_t KEPT_MOST = 64 << 20;
    division by;
    if (!divide(s, KEPT_MOST / dtype_size(s->plan.type), threads, o, &by, e))
        return false;
    size_t usual = by.bytes, limit = o->max_memory;
    if ((usual > limit || usual > mem_left()) && !divide(s, 0, threads, o, &by, e))
        return false;
    if (by.bytes > limit)
        return refuse_memory(&s->plan, usual < by.bytes ? usual : by.bytes, limit, e);
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

static bool has_missing_threads(const solution *s)
{
    return s->report.threads < s->report.threads_wanted;
}

bool solution_has_notes(const solution *s)
{
    return s->plan.notes.count > 0 || s->report.empty_rows > 0 || has_missing_threads(s);
}

static void say_notes(const solution *s, const options *o, const env *world)
{
    for (size_t i = 0; i < s->plan.notes.count; i++)
        note_say(world, o, &s->at, "%s", s->plan.notes.item[i]);
    if (s->report.empty_rows > 0) {
        char rows[64];
        snprintf(rows, sizeof rows, "of %zu query rows",
                 s->plan.batches * s->plan.heads * s->plan.n_q);
        note_empty_rows(world, o, &s->at, &s->report, rows);
    }
    if (has_missing_threads(s))
        note_missing_threads(world, o, &s->at, s->report.threads, s->report.threads_wanted);
}

bool solution_is_small(const solution *s)
{
    return threads_worth(2, plan_operations(&s->plan)) == 1;
}

bool solution_run(solution *s, const options *o, env *world, err *e)
{
    size_t threads = solution_threads(s, o, world);
    s->wanted.progress = world->progress == NULL ? NULL : &world->progress->run;
    if (!check_weighted(s, o, e) || !fit_memory(s, threads, o, e) ||
        !run_plan(&s->plan, &s->wanted, threads, &s->stages, &s->report, e) ||
        !streamed_stages_start(&s->streamed, &s->plan, threads, &s->stages, e))
        return false;
    say_notes(s, o, world);
    return true;
}

bool solution_run_in(solution *s, run_room *in, crew *alone, const options *o, err *e)
{
    if (!s->is_begun) {
        s->is_begun = check_weighted(s, o, e) && fit_memory(s, 1, o, e);
        if (s->is_begun)
            run_room_set(in, &s->plan, &s->wanted);
    }
    return s->is_begun && run_again(in, alone, &s->stages, &s->report, e);
}

void solution_free(solution *s)
{
    bundle_free(&s->stages);
    for (size_t i = 0; i < s->streamed.count; i++)
        streamed_stage_free(s->streamed.stage[i]);
    plan_free(&s->plan);
    problem_free(&s->problem);
    problem_free(&s->whole);
    bundle_free(&s->chosen);
    row_choice_free(&s->rows);
}
