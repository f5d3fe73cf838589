#include "attn/engine/run.h"

#include "attn/engine/block.h"
#include "attn/engine/schedule.h"
#include "base/mem.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct run_room {
    block_context shared;
    size_t block_rows, block_columns, blocks; /* a block's rows and most columns, a head's blocks */
    size_t units, wave, slots;
    size_t group;       /* query heads that use one key/value head */
    size_t first, end;  /* the blocks to compute, counted over heads and batch entries */
    size_t threads;     /* at most */
    scratch *of_worker; /* NULL: the loop's memory is not allocated */
    schedule tasks;
};

/* ---- the loop over blocks of query rows: over all of them, or over a few at a time ---- */

/* A block's scores of all keys stay in a cache while the softmax and the product with the values
 * walk over them: in a second-level one (1 MB and more), or in a thread's share of half of the
 * third-level one where that is larger. Its rows are whole register tiles of 6, and with more of them each fetch
 * of keys and values serves more rows. One head of 32,768 keys takes 0.85 of the time with 48 rows
 * as with 6 on a Zen 5, and 0.68 on an Ice Lake with 48 MB of third-level cache, where 96 rows are
 * slower; one of 65,536 keys 0.89 of the time with 48 rows as with 24 on the Zen 5. */
enum { BLOCK_BYTES = 800 * 1024, BLOCK_BYTES_MOST = 12 << 20 };
enum { BLOCK_ROWS_MOST = 48, TILE_ROWS = 6 };

/* Keys and values that are packed at once: together with those that are packed next, and a block of
 * scores for each thread, they stay in a third-level cache. */
enum { WAVE_BYTES = 2 << 20 };

/* Enough blocks in a wave that threads seldom wait for its last ones. */
enum { WAVE_BLOCKS_A_THREAD = 8 };

/* The most columns that a block of so many rows has. */
static size_t columns_most(const plan *p, const kept_stages *w, size_t rows)
{
    const problem *asked = p->asked;
    size_t left = asked->window_left, right = plan_is_causal(p) ? 0 : asked->window_right;
    if (kept_stages_all_keys(w) || !asked->has_window || p->appended > 0 || left >= p->n_k ||
        right >= p->n_k)
        return p->n_k;
    size_t span = left + right + rows + PACKED_PART - 1;
    return span < p->n_k ? span : p->n_k;
}

/* As many rows as the machine's caches hold. They are asked only where it matters: a virtual
 * machine takes its time to answer. */
static size_t rows_most(const plan *p, const kept_stages *w, size_t threads)
{
    size_t rows = BLOCK_ROWS_MOST, most = BLOCK_BYTES, size = dtype_size(p->type);
    if (rows * columns_most(p, w, rows) * size <= most)
        return rows;
    most = size_larger(most, isa_shared_cache() / 2 / threads);
    most = most < BLOCK_BYTES_MOST ? most : BLOCK_BYTES_MOST;
    while (rows > TILE_ROWS && rows * columns_most(p, w, rows) * size > most)
        rows -= TILE_ROWS;
    return rows;
}

/* What the plan and the wanted stages decide, and all blocks to be computed. */
static void begin(run_room *r, const plan *p, const kept_stages *w, size_t threads)
{
    *r = (run_room){.shared = {.plan = p, .wanted = w}};
    size_t rows = rows_most(p, w, threads);
    r->block_rows = rows > p->n_q ? p->n_q : rows;
    r->block_columns = columns_most(p, w, r->block_rows);
    r->blocks = (p->n_q + r->block_rows - 1) / r->block_rows;
    r->group = p->heads / p->kv_heads;
    r->units = p->batches * p->kv_heads;
    r->end = r->units * r->group * r->blocks;
}

static void size_waves(run_room *r, size_t threads)
{
    size_t all = r->end - r->first, of_unit = r->group * r->blocks;
    size_t most = all < THREADS_MOST ? all : THREADS_MOST;
    r->threads = threads < most ? threads : most;
    size_t fitting = WAVE_BYTES / (panels_memory(r->shared.plan) + 1);
    size_t wave = size_larger(fitting, WAVE_BLOCKS_A_THREAD * r->threads / of_unit);
    r->wave = wave < 1 ? 1 : wave > r->units ? r->units : wave;
    r->slots = 2 * r->wave < r->units ? 2 * r->wave : r->units;
}

/* Blocks are taken in order, so that of several failing ones the first is always among those that
 * were tried. */
static void work(void *context, size_t worker)
{
    run_room *r = context;
    const plan *p = r->shared.plan;
    scratch *in = &r->of_worker[worker];
    float_mode mode;
    float_mode_set(&mode);
    task t;
    while (schedule_take(&r->tasks, &t)) {
        /* Units are counted from the first that has blocks to compute. */
        size_t unit = r->first / r->tasks.blocks + t.unit;
        size_t number = unit * r->tasks.blocks + t.index;
        bool done = true;
        if (!t.is_block) {
            panels_pack(&r->shared.panels, unit, t.index);
        } else if (number >= r->first && number < r->end) {
            block at = {.first = t.index % r->blocks * r->block_rows};
            at.head = unit % p->kv_heads * r->group + t.index / r->blocks;
            at.batch = unit / p->kv_heads;
            at.rows = p->n_q - at.first < r->block_rows ? p->n_q - at.first : r->block_rows;
            in->failed_at = number;
            done = block_compute(&r->shared, &at, in);
            if (done && r->shared.wanted->progress != NULL)
                atomic_fetch_add(&r->shared.wanted->progress->done, 1);
        }
        if (done)
            schedule_done(&r->tasks, &t);
        else
            schedule_stop(&r->tasks);
    }
    float_mode_restore(&mode);
}

/* Memory for the loop, which `made` of `shared` must be there for, where there is none yet. Nothing
 * fails for want of memory after it. */
static bool open_blocks(run_room *r, size_t threads, err *e)
{
    block_context *c = &r->shared;
    if (r->of_worker != NULL)
        return true;
    size_waves(r, threads);
    if (!panels_new(&c->panels, c->plan, &c->made, r->slots, e))
        return false;
    r->of_worker = mem_alloc_zeroed(r->threads, sizeof r->of_worker[0], e);
    bool done = r->of_worker != NULL && schedule_open(&r->tasks, r->slots, r->threads, e);
    for (size_t i = 0; done && i < r->threads; i++)
        done = scratch_new(&r->of_worker[i], c->plan, r->block_rows, r->block_columns, e);
    return done;
}

static void close_blocks(run_room *r)
{
    for (size_t i = 0; r->of_worker != NULL && i < r->threads; i++)
        scratch_free(&r->of_worker[i]);
    mem_free(r->of_worker);
    r->of_worker = NULL;
    schedule_close(&r->tasks);
    panels_free(&r->shared.panels);
}

/* Computes the blocks from `first` up to `end`; `empty` are those of their rows that may attend to
 * nothing. */
static bool compute_blocks(run_room *r, crew *by, empty_rows *empty, err *e)
{
    block_context *c = &r->shared;
    run_progress *progress = c->wanted->progress;
    size_t of_unit = r->group * r->blocks;
    schedule_start(&r->tasks, (r->end + of_unit - 1) / of_unit - r->first / of_unit, r->wave,
                   panels_parts(&c->panels), of_unit);
    if (progress != NULL) {
        atomic_store(&progress->done, 0);
        atomic_store(&progress->blocks, r->end - r->first);
    }
    for (size_t i = 0; i < r->threads; i++) {
        r->of_worker[i].empty = (empty_rows){0};
        r->of_worker[i].is_past_range = false;
    }
    size_t threads = crew_run(by, r->threads, work, r);
    /* What all workers have seen is added up; of failures, the one of the first block counts. */
    const scratch *failed = NULL;
    *empty = (empty_rows){0};
    c->made.context_is_finite = true;
    for (size_t i = 0; i < threads; i++) {
        const scratch *one = &r->of_worker[i];
        empty_rows_join(empty, &one->empty);
        if (one->is_past_range)
            c->made.context_is_finite = false;
        if (one->failure.is_set && (failed == NULL || one->failed_at < failed->failed_at))
            failed = one;
    }
    if (failed != NULL)
        *e = failed->failure;
    return failed == NULL;
}

/* ---- the whole ---- */

/* Every wanted stage has its place in the result, which may have it already. */
static bool keep_wanted(block_context *c, bundle *result, err *e)
{
    const plan *p = c->plan;
    for (size_t i = 0; i < c->wanted->count; i++) {
        stage_id id = c->wanted->stage[i];
        const char *name = stage_row(id)->key.named.name;
        size_t size[TENSOR_MAX_RANK];
        tensor kept = {0};
        int rank;
        kept_stages_shape(p, c->wanted, id, &rank, size);
        entry *there = bundle_find(result, name);
        if (there == NULL || there->tensor.rank != rank ||
            memcmp(there->tensor.size, size, (size_t)rank * sizeof size[0]) != 0) {
            if (!tensor_new(&kept, p->type, rank, size, e) ||
                (there == NULL && !bundle_add_tensor(result, name, &kept, (place){0}, e)))
                return false;
            if (there != NULL) {
                tensor_free(&there->tensor);
                there->tensor = kept;
            }
            there = bundle_find(result, name);
        }
        bool is_row = kept_stages_is_one_row(p, c->wanted, id);
        there->axes = is_row ? "ke" : p->axes[id];
        c->kept[id] =
            is_row ? tensor_view_of(&there->tensor) : plan_all_axes(p, id, &there->tensor);
    }
    return true;
}

/* The output's product takes the memory that the loop is done with, where nothing is kept. */
static bool compute(run_room *r, bool is_kept, crew *by, bundle *result, run_report *report, err *e)
{
    block_context *c = &r->shared;
    const plan *p = c->plan;
    empty_rows empty = {0};
    float_mode mode;
    float_mode_set(&mode);
    bool done = keep_wanted(c, result, e) && project_inputs(&c->made, p, c->kept, by, e) &&
                open_blocks(r, by->most, e) && compute_blocks(r, by, &empty, e);
    report->empty_rows = empty.count;
    if (empty.count > 0) {
        char name[ROW_NAME];
        plan_name_row(p, empty.first, name);
        snprintf(report->first_empty, sizeof report->first_empty, "weights[%s]", name);
        /* A mask that leaves most queries nothing may say true for what it hides. */
        report->doubt = "";
        if (p->mask.data != NULL && empty.count > p->batches * p->heads * p->n_q / 2)
            report->doubt =
                p->asked->mask_true_is_masked
                    ? "; true in the mask hides a key, and --mask-true attend turns that round"
                    : "; false in the mask hides a key, and --mask-true masked turns that round";
    }
    if (!is_kept)
        close_blocks(r);
    if (done) {
        done = project_output(&c->made, p, c->kept, by, e);
        report->threads = by->ran;
        report->threads_wanted = by->wanted;
    }
    float_mode_restore(&mode);
    return done;
}

bool run_plan_by(const plan *p, const kept_stages *w, crew *by, bundle *result, run_report *report,
                 err *e)
{
    run_room r;
    begin(&r, p, w, by->most);
    cache_settle(p, w);
    bool done = compute(&r, false, by, result, report, e);
    if (done && p->asked->cache != NULL) {
        p->asked->cache->rows = p->n_k;
        p->asked->cache->has_places = p->asked->rope.positions != NULL;
    }
    run_room_clear(&r);
    return done;
}

bool run_plan(const plan *p, const kept_stages *w, size_t threads, bundle *result,
              run_report *report, err *e)
{
    crew by;
    crew_open(&by, threads);
    bool done = run_plan_by(p, w, &by, result, report, e);
    crew_close(&by);
    return done;
}

/* ---- again and again ---- */

run_room *run_room_new(err *e)
{
    return mem_alloc_zeroed(1, sizeof(run_room), e);
}

void run_room_free(run_room *r)
{
    if (r != NULL)
        run_room_clear(r);
    mem_free(r);
}

void run_room_set(run_room *r, const plan *p, const kept_stages *w, size_t threads)
{
    run_room_clear(r);
    begin(r, p, w, threads);
}

void run_room_clear(run_room *r)
{
    close_blocks(r);
    projected_free(&r->shared.made);
}

bool run_again(run_room *r, crew *by, bundle *result, run_report *report, err *e)
{
    assert(r->shared.plan->asked->cache == NULL); /* it grows, and the plan with it */
    return compute(r, true, by, result, report, e);
}

/* ---- memory ---- */

bool run_memory(const plan *p, const kept_stages *w, size_t threads, size_t *bytes, err *e)
{
    run_room r;
    begin(&r, p, w, threads);
    cache_settle(p, w);
    size_waves(&r, threads);
    size_t of_thread = scratch_memory(p, r.block_rows, r.block_columns);
    size_t of_blocks =
        size_sum(size_product(r.slots, panels_memory(p)), size_product(r.threads, of_thread));
    of_blocks = size_sum(of_blocks, schedule_memory(r.slots));
    *bytes =
        size_sum(project_memory(p, w), size_larger(of_blocks, project_product_memory(p, threads)));
    for (size_t i = 0; i < w->count; i++) {
        size_t size[TENSOR_MAX_RANK];
        int rank;
        kept_stages_shape(p, w, w->stage[i], &rank, size);
        *bytes = size_sum(*bytes, tensor_bytes(p->type, rank, size));
    }
    return *bytes < SIZE_MAX ||
           err_set(e,
                   "more memory is needed than an address can hold: batches %zu, heads "
                   "%zu, queries %zu, keys %zu",
                   p->batches, p->heads, p->n_q, p->n_k);
}

/* ---- a stage that is too large to be kept ---- */

struct streamed_stage {
    kept_stages wanted;
    run_room run;
    crew by;
    tensor whole;
    size_t bytes, blocks; /* of the whole */
    size_t some, counted; /* blocks that are there at a time, and their bytes */
    size_t first, end;    /* the rows that are there */
};

bool streamed_stage_can(const plan *p, stage_id id)
{
    return id <= STAGE_ROUNDED && strcmp(stage_row(id)->axes, "bhqk") == 0 &&
           p->asked->cache == NULL;
}

/* The stage's place has no memory yet; what its rows are computed from has. */
streamed_stage *streamed_stage_new(const plan *p, stage_id id, size_t part, size_t threads, err *e)
{
    streamed_stage *s = mem_alloc_zeroed(1, sizeof *s, e);
    if (s == NULL)
        return NULL;
    block_context *c = &s->run.shared;
    float_mode mode;
    size_t size[TENSOR_MAX_RANK];
    int rank;
    bool done = false;
    crew_open(&s->by, threads);
    kept_stages_add(&s->wanted, id);
    begin(&s->run, p, &s->wanted, s->by.most);
    plan_stage_shape(p, id, &rank, size);
    s->bytes = tensor_bytes(p->type, rank, size);
    if (s->bytes == SIZE_MAX) {
        err_no_memory(e, SIZE_MAX);
        goto done;
    }
    void *data = reserve_new(s->bytes, e);
    if (data == NULL)
        goto done;
    tensor_own(&s->whole, p->type, rank, size, data);
    s->whole = tensor_view_of(&s->whole);
    c->kept[id] = plan_all_axes(p, id, &s->whole);
    s->blocks = s->run.end;
    size_t of_block = s->run.block_rows * p->n_k * dtype_size(s->whole.type);
    s->some = part / of_block + 1;
    if (!mem_count_in(s->some * of_block, e))
        goto done;
    s->counted = s->some * of_block;
    float_mode_set(&mode);
    done = project_inputs(&c->made, p, c->kept, &s->by, e) && open_blocks(&s->run, s->by.most, e);
    float_mode_restore(&mode);
done:
    if (done)
        return s;
    streamed_stage_free(s);
    return NULL;
}

/* The first row of a block, and after the last one the end of all rows. */
static size_t row_of(const run_room *r, size_t number)
{
    return number / r->blocks * r->shared.plan->n_q + number % r->blocks * r->block_rows;
}

void streamed_stage_free(streamed_stage *s)
{
    if (s == NULL)
        return;
    run_room_clear(&s->run);
    reserve_free(s->whole.data, s->bytes);
    mem_count_out(s->counted);
    crew_close(&s->by);
    mem_free(s);
}

tensor streamed_stage_tensor(const streamed_stage *s)
{
    return tensor_view_of(&s->whole);
}

bool streamed_stage_make(streamed_stage *s, size_t first, size_t *count, err *e)
{
    bool done = true;
    if (first < s->first || first >= s->end) {
        run_room *r = &s->run;
        empty_rows empty;
        size_t n_q = r->shared.plan->n_q;
        r->first = first / n_q * r->blocks + first % n_q / r->block_rows;
        r->end = s->blocks - r->first > s->some ? r->first + s->some : s->blocks;
        reserve_clear(s->whole.data, s->bytes);
        s->first = row_of(r, r->first);
        s->end = row_of(r, r->end);
        done = compute_blocks(r, &s->by, &empty, e);
    }
    if (done && *count > s->end - first)
        *count = s->end - first;
    return done;
}

bool streamed_stage_memory(const plan *p, stage_id id, size_t part, size_t threads, size_t *bytes,
                           err *e)
{
    const kept_stages none = {0};
    kept_stages only = {0};
    run_room r;
    kept_stages_add(&only, id);
    begin(&r, p, &only, threads);
    if (!run_memory(p, &none, threads, bytes, e))
        return false;
    part = size_sum(part, size_product(r.block_rows * dtype_size(p->type), p->n_k));
    *bytes = size_sum(*bytes, part);
    return *bytes < SIZE_MAX || err_no_memory(e, SIZE_MAX);
}
