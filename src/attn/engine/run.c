#include "attn/engine/run.h"

#include "attn/engine/cache.h"
#include "attn/engine/project.h"
#include "attn/engine/run_blocks.h"
#include "base/mem.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- places ---- */

/* The stage's place in the result, which it may have already. */
static entry *place_in(bundle *result, const char *name, dtype type, int rank, const size_t *size,
                       err *e)
{
    entry *there = bundle_find(result, name);
    tensor kept;
    if (there != NULL && there->tensor.rank == rank &&
        memcmp(there->tensor.size, size, (size_t)rank * sizeof size[0]) == 0)
        return there;
    if (!tensor_new(&kept, type, rank, size, e))
        return NULL;
    if (there == NULL)
        return bundle_add_tensor(result, name, &kept, (place){0}, e) ? bundle_find(result, name)
                                                                     : NULL;
    tensor_free(&there->tensor);
    there->tensor = kept;
    return there;
}

static bool keep_wanted(block_context *c, bundle *result, err *e)
{
    const plan *p = c->plan;
    for (size_t i = 0; i < c->wanted->count; i++) {
        stage_id id = c->wanted->stage[i];
        size_t size[TENSOR_MAX_RANK];
        int rank;
        kept_stages_shape(p, c->wanted, id, &rank, size);
        entry *added = place_in(result, stage_row(id)->key.named.name, p->type, rank, size, e);
        if (added == NULL)
            return false;
        bool is_row = kept_stages_is_one_row(p, c->wanted, id);
        added->axes = is_row ? "ke" : p->axes[id];
        c->kept[id] =
            is_row ? tensor_view_of(&added->tensor) : plan_all_axes(p, id, &added->tensor);
    }
    return true;
}

/* ---- the whole ---- */

static void report_empty_rows(const plan *p, const empty_rows *empty, run_report *report)
{
    char name[ROW_NAME];
    report->empty_rows = empty->count;
    if (empty->count == 0)
        return;
    plan_name_row(p, empty->first, name);
    snprintf(report->first_empty, sizeof report->first_empty, "weights[%s]", name);
    /* A mask that leaves most queries nothing may say true for what it hides. */
    report->doubt = "";
    if (p->mask.data != NULL && empty->count > p->batches * p->heads * p->n_q / 2)
        report->doubt =
            p->asked->mask_true_is_masked
                ? "; true in the mask hides a key, and --mask-true attend turns that round"
                : "; false in the mask hides a key, and --mask-true masked turns that round";
}

/* All but the output, whose product takes the memory that the loop is then done with. */
static bool compute_blocks(run *r, crew *by, bundle *result, run_report *report, err *e)
{
    block_context *c = &r->shared;
    empty_rows empty = {0};
    bool done = keep_wanted(c, result, e) && project_inputs(&c->made, c->plan, c->kept, by, e) &&
                run_blocks_open(r, by->most, e) && run_compute_blocks(r, by, &empty, e);
    report_empty_rows(c->plan, &empty, report);
    return done;
}

static bool compute_output(run *r, crew *by, run_report *report, err *e)
{
    block_context *c = &r->shared;
    bool done = project_output(&c->made, c->plan, c->kept, by, e);
    report->threads = by->ran;
    report->threads_wanted = by->wanted;
    return done;
}

bool run_plan_by(const plan *p, const kept_stages *w, crew *by, bundle *result, run_report *report,
                 err *e)
{
    run r = {.shared = {.plan = p, .wanted = w}};
    float_mode mode;
    float_mode_set(&mode);
    run_size_blocks(&r);
    cache_settle(p, w);
    bool done = compute_blocks(&r, by, result, report, e);
    run_blocks_close(&r);
    done = done && compute_output(&r, by, report, e);
    if (done && p->asked->cache != NULL) {
        p->asked->cache->rows = p->n_k;
        p->asked->cache->has_places = p->asked->rope.positions != NULL;
    }
    projected_free(&r.shared.made);
    float_mode_restore(&mode);
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

struct run_room {
    run kept;
};

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

void run_room_set(run_room *r, const plan *p, const kept_stages *w)
{
    run_room_clear(r);
    r->kept = (run){.shared = {.plan = p, .wanted = w}};
    run_size_blocks(&r->kept);
}

void run_room_clear(run_room *r)
{
    run_blocks_close(&r->kept);
    projected_free(&r->kept.shared.made);
}

bool run_again(run_room *r, crew *by, bundle *result, run_report *report, err *e)
{
    assert(r->kept.shared.plan->asked->cache == NULL); /* it grows, and the plan with it */
    float_mode mode;
    float_mode_set(&mode);
    bool done =
        compute_blocks(&r->kept, by, result, report, e) && compute_output(&r->kept, by, report, e);
    float_mode_restore(&mode);
    return done;
}

/* ---- memory ---- */

bool run_memory(const plan *p, const kept_stages *w, size_t threads, size_t *bytes, err *e)
{
    run r = {.shared = {.plan = p, .wanted = w}};
    size_t of_blocks;
    run_size_blocks(&r);
    cache_settle(p, w);
    bool fits = project_memory(p, w, bytes) && run_blocks_memory(&r, threads, &of_blocks) &&
                size_add(*bytes, size_larger(of_blocks, project_product_memory(p, threads)), bytes);
    for (size_t i = 0; i < w->count; i++) {
        size_t size[TENSOR_MAX_RANK], count;
        int rank;
        kept_stages_shape(p, w, w->stage[i], &rank, size);
        fits = fits && sizes_count(rank, size, &count) &&
               size_add_product(bytes, count, dtype_size(p->type));
    }
    return fits || err_set(e,
                           "more memory is needed than an address can hold: batches %zu, heads "
                           "%zu, queries %zu, keys %zu",
                           p->batches, p->heads, p->n_q, p->n_k);
}
