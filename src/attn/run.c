#include "attn/run.h"

#include "attn/block.h"
#include "attn/cache.h"
#include "attn/schedule.h"
#include "base/mem.h"

#include <stdint.h>

/* A block's scores of all keys stay in a second-level cache (1 MB and more) while the softmax and
 * the product with the values walk over them; its rows are whole register tiles of 6. */
enum { BLOCK_BYTES = 400 * 1024, BLOCK_ROWS_MOST = 96, TILE_ROWS = 6 };

/* Of a window's columns, at most one in so many is there for the sake of other rows. */
enum { WINDOW_SHARE = 12 };

/* Keys and values that are packed at once: together with those that are packed next, and a block of
 * scores for each thread, they stay in a third-level cache. */
enum { WAVE_BYTES = 2 << 20 };

/* Enough blocks in a wave that threads seldom wait for its last ones. */
enum { WAVE_BLOCKS_A_THREAD = 8 };

typedef struct run {
    block_context shared;
    size_t block_rows, block_columns, blocks; /* a block's rows and most columns, a head's blocks */
    size_t units, wave, slots;
    size_t group; /* query heads that use one key/value head */
    scratch *of_worker;
    schedule tasks;
} run;

bool wanted_has(const wanted *w, stage_id id)
{
    for (size_t i = 0; i < w->count; i++) {
        if (w->stage[i] == id)
            return true;
    }
    return false;
}

void wanted_add(wanted *w, stage_id id)
{
    if (!wanted_has(w, id))
        w->stage[w->count++] = id;
}

/* ---- places ---- */

static bool is_one_row(const wanted *w, stage_id id)
{
    return id == STAGE_WEIGHTED && w->weighted_is_one_row;
}

bool wanted_shape(const plan *p, const wanted *w, stage_id id, int *rank,
                  size_t size[TENSOR_MAX_RANK], err *e)
{
    if (!plan_stage_shape(p, id, rank, size, e))
        return false;
    if (is_one_row(w, id)) {
        *rank = 2;
        size[0] = p->n_k;
        size[1] = p->v.width;
    }
    return true;
}

static bool keep_stage(block_context *c, stage_id id, bundle *result, err *e)
{
    const char *name = stage_row(id)->key.named.name;
    size_t size[TENSOR_MAX_RANK];
    int rank;
    tensor kept;
    if (!wanted_shape(c->plan, c->wanted, id, &rank, size, e) ||
        !tensor_new(&kept, c->plan->type, rank, size, e) ||
        !bundle_add_tensor(result, name, &kept, (place){0}, e))
        return false;
    entry *added = bundle_find(result, name);
    bool is_row = is_one_row(c->wanted, id);
    added->axes = is_row ? "ke" : c->plan->axes[id];
    c->kept[id] =
        is_row ? tensor_view_of(&added->tensor) : plan_all_axes(c->plan, id, &added->tensor);
    return true;
}

static bool keep_wanted(block_context *c, bundle *result, err *e)
{
    for (size_t i = 0; i < c->wanted->count; i++) {
        if (!keep_stage(c, c->wanted->stage[i], result, e))
            return false;
    }
    return true;
}

/* ---- the loop ---- */

/* Too large for the cache, or rows whose windows lie so far apart that each computes many columns
 * for others. */
static bool is_too_large(const run *r, size_t rows)
{
    const plan *p = r->shared.plan;
    size_t columns = block_columns_most(p, r->shared.wanted, rows),
           of_one = block_columns_most(p, r->shared.wanted, 1);
    return rows * columns > BLOCK_BYTES / dtype_size(p->type) ||
           (columns - of_one) * WINDOW_SHARE > columns;
}

static void size_blocks(run *r)
{
    const plan *p = r->shared.plan;
    size_t rows = BLOCK_ROWS_MOST;
    while (rows > TILE_ROWS && is_too_large(r, rows))
        rows -= TILE_ROWS;
    r->block_rows = rows > p->n_q ? p->n_q : rows;
    r->block_columns = block_columns_most(p, r->shared.wanted, r->block_rows);
    r->blocks = (p->n_q + r->block_rows - 1) / r->block_rows;
    r->group = p->heads / p->kv_heads;
    r->units = p->batches * p->kv_heads;
}

/* False where a slot is larger than an address can hold. */
static bool size_waves(run *r, size_t threads, size_t *slot_bytes)
{
    if (!panels_memory(r->shared.plan, slot_bytes))
        return false;
    size_t blocks = r->group * r->blocks;
    size_t fitting = WAVE_BYTES / (*slot_bytes + 1), busy = WAVE_BLOCKS_A_THREAD * threads / blocks;
    size_t wave = fitting > busy ? fitting : busy;
    r->wave = wave < 1 ? 1 : wave > r->units ? r->units : wave;
    r->slots = 2 * r->wave < r->units ? 2 * r->wave : r->units;
    return true;
}

static block block_of(const run *r, const task *t)
{
    const plan *p = r->shared.plan;
    block at = {.first = t->index % r->blocks * r->block_rows};
    at.head = t->unit % p->kv_heads * r->group + t->index / r->blocks;
    at.batch = t->unit / p->kv_heads;
    at.rows = p->n_q - at.first < r->block_rows ? p->n_q - at.first : r->block_rows;
    block_find_columns(&r->shared, &at);
    return at;
}

static bool compute(run *r, const task *t, scratch *in)
{
    if (!t->is_block) {
        panels_pack(&r->shared.panels, t->unit, t->index);
        return true;
    }
    block at = block_of(r, t);
    in->failed_at = t->unit * r->tasks.blocks + t->index;
    if (!block_compute(&r->shared, &at, in))
        return false;
    if (r->shared.wanted->progress != NULL)
        atomic_fetch_add(&r->shared.wanted->progress->done, 1);
    return true;
}

/* Blocks are taken in order, so that of several failing ones the first is always among those that
 * were tried. */
static void work(void *context, size_t worker)
{
    run *r = context;
    float_mode mode;
    float_mode_set(&mode);
    task t;
    while (schedule_take(&r->tasks, &t)) {
        if (compute(r, &t, &r->of_worker[worker]))
            schedule_done(&r->tasks, &t);
        else
            schedule_stop(&r->tasks);
    }
    float_mode_restore(&mode);
}

static bool scratches_new(run *r, size_t threads, err *e)
{
    r->of_worker = mem_alloc_zeroed(threads, sizeof r->of_worker[0], e);
    if (r->of_worker == NULL)
        return false;
    for (size_t i = 0; i < threads; i++) {
        if (!scratch_new(&r->of_worker[i], r->shared.plan, r->block_rows, r->block_columns, e))
            return false;
    }
    return true;
}

static void scratches_free(run *r, size_t threads)
{
    for (size_t i = 0; r->of_worker != NULL && i < threads; i++)
        scratch_free(&r->of_worker[i]);
    mem_free(r->of_worker);
}

/* The failure of the first block, whoever met it. */
static bool gather(const run *r, size_t threads, run_report *report, err *e)
{
    const scratch *failed = NULL;
    report->empty_rows = 0;
    for (size_t i = 0; i < threads; i++) {
        const scratch *one = &r->of_worker[i];
        report->empty_rows += one->empty_rows;
        if (one->failure.is_set && (failed == NULL || one->failed_at < failed->failed_at))
            failed = one;
    }
    if (failed != NULL)
        *e = failed->failure;
    return failed == NULL;
}

static size_t threads_for(const run *r, size_t threads)
{
    size_t blocks = r->units * r->group * r->blocks;
    size_t most = blocks < THREADS_MOST ? blocks : THREADS_MOST;
    return threads < 1 ? 1 : threads > most ? most : threads;
}

static void start_progress(run_progress *p, size_t blocks)
{
    if (p == NULL)
        return;
    atomic_store(&p->done, 0);
    atomic_store(&p->blocks, blocks);
}

static bool run_blocks(run *r, crew *by, run_report *report, err *e)
{
    block_context *c = &r->shared;
    size_t slot_bytes, threads = threads_for(r, by->most);
    bool done = (size_waves(r, threads, &slot_bytes) || err_no_memory(e, SIZE_MAX)) &&
                panels_new(&c->panels, c->plan, &c->made, r->slots, e) &&
                scratches_new(r, threads, e);
    if (done) {
        schedule_start(&r->tasks, r->units, r->wave, panels_parts(&c->panels),
                       r->group * r->blocks);
        start_progress(c->wanted->progress, r->units * r->group * r->blocks);
        done = gather(r, crew_run(by, threads, work, r), report, e);
    }
    scratches_free(r, threads);
    panels_free(&c->panels);
    return done;
}

bool run_plan_by(const plan *p, const wanted *w, crew *by, bundle *result, run_report *report,
                 err *e)
{
    run r = {.shared = {.plan = p, .wanted = w}};
    block_context *c = &r.shared;
    float_mode mode;
    float_mode_set(&mode);
    size_blocks(&r);
    cache_settle(p, w);
    bool done = keep_wanted(c, result, e) && project_inputs(&c->made, p, c->kept, by, e) &&
                run_blocks(&r, by, report, e) && project_output(&c->made, p, c->kept, by, e);
    report->threads = by->ran;
    report->threads_wanted = by->wanted;
    if (done && p->asked->cache != NULL)
        p->asked->cache->rows = p->n_k;
    projected_free(&c->made);
    float_mode_restore(&mode);
    return done;
}

bool run_plan(const plan *p, const wanted *w, size_t threads, bundle *result, run_report *report,
              err *e)
{
    crew by;
    crew_open(&by, threads);
    bool done = run_plan_by(p, w, &by, result, report, e);
    crew_close(&by);
    return done;
}

/* ---- memory ---- */

bool run_memory(const plan *p, const wanted *w, size_t threads, size_t *bytes, err *e)
{
    run r = {.shared = {.plan = p, .wanted = w}};
    size_t of_slot, of_thread, of_blocks = 0;
    size_blocks(&r);
    size_t started = threads_for(&r, threads);
    bool fits =
        projected_memory(p, w, bytes) && size_waves(&r, started, &of_slot) &&
        size_add_product(&of_blocks, r.slots, of_slot) &&
        scratch_memory(p, r.block_rows, r.block_columns, &of_thread) &&
        size_add_product(&of_blocks, started, of_thread) &&
        size_add(*bytes, size_larger(of_blocks, projected_product_memory(p, threads)), bytes);
    for (size_t i = 0; i < w->count; i++) {
        size_t size[TENSOR_MAX_RANK], count;
        int rank;
        if (!wanted_shape(p, w, w->stage[i], &rank, size, e))
            return false;
        fits = fits && sizes_count(rank, size, &count) &&
               size_add_product(bytes, count, dtype_size(p->type));
    }
    return fits || err_set(e,
                           "more memory is needed than an address can hold: batches %zu, heads "
                           "%zu, queries %zu, keys %zu",
                           p->batches, p->heads, p->n_q, p->n_k);
}
