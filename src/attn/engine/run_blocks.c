#include "attn/engine/run_blocks.h"

#include "base/mem.h"

#include <stdint.h>

/* A block's scores of all keys stay in a second-level cache (1 MB and more) while the softmax and
 * the product with the values walk over them; its rows are whole register tiles of 6, and with more
 * of them each fetch of keys and values serves more rows: 2 to 6 % at 8,192 and 16,384 keys against
 * half the size. */
enum { BLOCK_BYTES = 800 * 1024, BLOCK_ROWS_MOST = 48, TILE_ROWS = 6 };

/* Keys and values that are packed at once: together with those that are packed next, and a block of
 * scores for each thread, they stay in a third-level cache. */
enum { WAVE_BYTES = 2 << 20 };

/* Enough blocks in a wave that threads seldom wait for its last ones. */
enum { WAVE_BLOCKS_A_THREAD = 8 };

void run_size_blocks(run *r)
{
    const plan *p = r->shared.plan;
    const kept_stages *w = r->shared.wanted;
    size_t rows = BLOCK_ROWS_MOST, most = BLOCK_BYTES / dtype_size(p->type);
    while (rows > TILE_ROWS && rows * block_columns_most(p, w, rows) > most)
        rows -= TILE_ROWS;
    r->block_rows = rows > p->n_q ? p->n_q : rows;
    r->block_columns = block_columns_most(p, w, r->block_rows);
    r->blocks = (p->n_q + r->block_rows - 1) / r->block_rows;
    r->group = p->heads / p->kv_heads;
    r->units = p->batches * p->kv_heads;
    r->first = 0;
    r->end = r->units * r->group * r->blocks;
}

/* The units that have the blocks to compute. */
static size_t first_unit(const run *r)
{
    return r->first / (r->group * r->blocks);
}

static void size_waves(run *r, size_t threads, size_t slot_bytes)
{
    size_t blocks = r->group * r->blocks;
    size_t fitting = WAVE_BYTES / (slot_bytes + 1), busy = WAVE_BLOCKS_A_THREAD * threads / blocks;
    size_t wave = fitting > busy ? fitting : busy;
    r->wave = wave < 1 ? 1 : wave > r->units ? r->units : wave;
    r->slots = 2 * r->wave < r->units ? 2 * r->wave : r->units;
}

static bool compute(run *r, const task *t, scratch *in)
{
    const plan *p = r->shared.plan;
    if (!t->is_block) {
        panels_pack(&r->shared.panels, t->unit, t->index);
        return true;
    }
    size_t number = t->unit * r->tasks.blocks + t->index;
    if (number < r->first || number >= r->end)
        return true;
    block at = {.first = t->index % r->blocks * r->block_rows};
    at.head = t->unit % p->kv_heads * r->group + t->index / r->blocks;
    at.batch = t->unit / p->kv_heads;
    at.rows = p->n_q - at.first < r->block_rows ? p->n_q - at.first : r->block_rows;
    block_find_columns(&r->shared, &at);
    in->failed_at = number;
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
        t.unit += first_unit(r);
        if (compute(r, &t, &r->of_worker[worker]))
            schedule_done(&r->tasks, &t);
        else
            schedule_stop(&r->tasks);
    }
    float_mode_restore(&mode);
}

static size_t threads_for(const run *r, size_t threads)
{
    size_t blocks = r->end - r->first;
    size_t most = blocks < THREADS_MOST ? blocks : THREADS_MOST;
    return threads < 1 ? 1 : threads > most ? most : threads;
}

bool run_blocks_open(run *r, size_t threads, err *e)
{
    block_context *c = &r->shared;
    if (r->of_worker != NULL)
        return true;
    r->threads = threads_for(r, threads);
    size_waves(r, r->threads, panels_memory(c->plan));
    if (!panels_new(&c->panels, c->plan, &c->made, r->slots, e))
        return false;
    r->of_worker = mem_alloc_zeroed(r->threads, sizeof r->of_worker[0], e);
    bool done = r->of_worker != NULL;
    for (size_t i = 0; done && i < r->threads; i++)
        done = scratch_new(&r->of_worker[i], c->plan, r->block_rows, r->block_columns, e);
    return done;
}

void run_blocks_close(run *r)
{
    for (size_t i = 0; r->of_worker != NULL && i < r->threads; i++)
        scratch_free(&r->of_worker[i]);
    mem_free(r->of_worker);
    r->of_worker = NULL;
    panels_free(&r->shared.panels);
}

bool run_compute_blocks(run *r, crew *by, empty_rows *empty, err *e)
{
    block_context *c = &r->shared;
    run_progress *progress = c->wanted->progress;
    size_t of_unit = r->group * r->blocks;
    schedule_start(&r->tasks, (r->end + of_unit - 1) / of_unit - first_unit(r), r->wave,
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
    /* What all have seen; the failure of the first block, whoever met it. */
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

bool run_blocks_memory(run *r, size_t threads, size_t *bytes)
{
    size_t of_slot = panels_memory(r->shared.plan), of_thread, started = threads_for(r, threads);
    *bytes = 0;
    size_waves(r, started, of_slot);
    return size_add_product(bytes, r->slots, of_slot) &&
           scratch_memory(r->shared.plan, r->block_rows, r->block_columns, &of_thread) &&
           size_add_product(bytes, started, of_thread);
}
