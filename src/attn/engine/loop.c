#include "attn/engine/loop.h"

#include "attn/engine/back_block.h"
#include "base/mem.h"

#include <assert.h>

/* A block's scores of all keys stay in a cache while the softmax and the product with the values
 * walk over them: in a second-level one (1 MB and more), or in a thread's share of half of the
 * third-level one where that is larger. Its rows are whole register tiles of 6, and with more of
 * them each fetch of keys and values serves more rows. One head of 32,768 keys takes 0.85 of the
 * time with 48 rows as with 6 on a Zen 5, and 0.68 on an Ice Lake with 48 MB of third-level cache,
 * where 96 rows are slower; one of 65,536 keys takes 0.89 of the time with 48 rows as with 24 on
 * the Zen 5. */
enum { BLOCK_BYTES = 800 * 1024, BLOCK_BYTES_MOST = 12 << 20 };
enum { BLOCK_ROWS_MOST = 48, TILE_ROWS = 6 };

/* Keys and values that are packed at once: together with those that are packed next, and a block of
 * scores for each thread, they stay in a third-level cache. */
enum { WAVE_BYTES = 2 << 20 };

/* Enough blocks in a wave that threads seldom wait for its last ones. */
enum { WAVE_BLOCKS_A_THREAD = 8 };

/* The most columns that a block of so many rows has. Queries with a place each may be as far apart
 * as the first and the last key. */
static size_t columns_most(const plan *p, const kept_stages *w, size_t rows)
{
    const problem *asked = p->asked;
    size_t left = asked->window_left, right = plan_is_causal(p) ? 0 : asked->window_right;
    if (kept_stages_all_keys(w) || !asked->has_window || asked->places != NULL || p->appended > 0 ||
        left >= p->n_k || right >= p->n_k)
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

void loop_begin(run_room *r, const plan *p, const kept_stages *w, size_t threads)
{
    *r = (run_room){.shared = {.plan = p, .wanted = w}};
    places_find(&r->shared.at.where, p, w);
    size_t rows = rows_most(p, w, threads);
    r->block_rows = rows > p->n_q ? p->n_q : rows;
    r->block_columns = columns_most(p, w, r->block_rows);
    r->blocks = (p->n_q + r->block_rows - 1) / r->block_rows;
    r->group = p->heads / p->kv_heads;
    r->units = p->batches * p->kv_heads;
    r->end = r->units * r->group * r->blocks;
}

void loop_size(run_room *r, size_t threads)
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
            size_t rows = r->block_rows;
            block at = {.first = t.index % r->blocks * rows};
            at.head = unit % p->kv_heads * r->group + t.index / r->blocks;
            at.batch = unit / p->kv_heads;
            at.rows = p->n_q - at.first < rows ? p->n_q - at.first : rows;
            in->failed_at = number;
            done = r->goes_back ? back_block_compute(&r->shared, &at, in, &(turns){&r->tasks, &t})
                                : block_compute(&r->shared, &at, in);
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

bool loop_open(run_room *r, size_t threads, err *e)
{
    block_context *c = &r->shared;
    if (r->of_worker != NULL)
        return true;
    loop_size(r, threads);
    if (!panels_new(&c->panels, c->plan, &c->at, &c->made, r->slots, e))
        return false;
    r->of_worker = mem_alloc_zeroed(r->threads, sizeof r->of_worker[0], e);
    bool done = r->of_worker != NULL && schedule_open(&r->tasks, r->slots, r->threads, e);
    for (size_t i = 0; done && i < r->threads; i++)
        done = scratch_new(&r->of_worker[i], c->plan, r->block_rows, r->block_columns, e);
    return done;
}

void loop_close(run_room *r)
{
    for (size_t i = 0; r->of_worker != NULL && i < r->threads; i++)
        scratch_free(&r->of_worker[i]);
    mem_free(r->of_worker);
    r->of_worker = NULL;
    schedule_close(&r->tasks);
    panels_free(&r->shared.panels);
}

bool loop_compute(run_room *r, crew *by, empty_rows *empty, err *e)
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

bool loop_go_back(run_room *r, crew *by, err *e)
{
    empty_rows known = {0};
    assert(r->first == 0 && r->end == r->units * r->group * r->blocks);
    r->goes_back = r->shared.panels.goes_back = true;
    bool done = loop_compute(r, by, &known, e);
    r->goes_back = r->shared.panels.goes_back = false;
    return done;
}
