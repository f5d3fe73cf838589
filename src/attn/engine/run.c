#include "attn/engine/run.h"

#include "attn/engine/backward.h"
#include "attn/engine/loop.h"
#include "base/mem.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- the whole ---- */

/* A run that begins at the context has none. */
static bool has_blocks(const run_room *r)
{
    return places_make(&r->shared.at.where, STAGE_CONTEXT);
}

/* Also the way back has a loop over blocks, of its own. */
static bool has_loop(const run_room *r)
{
    return has_blocks(r) || backward_has_blocks(r->shared.plan, &r->shared.at.where);
}

/* From the output back to all that it was made of. */
static bool go_back(run_room *r, crew *by, err *e)
{
    block_context *c = &r->shared;
    const projecting with = {c->plan, &c->at, &c->made, by};
    bool done = backward_begin(&with, e) && backward_open(&c->back, &with, e) &&
                (!backward_has_blocks(c->plan, &c->at.where) || loop_go_back(r, by, e)) &&
                backward_end(&c->back, &with, e);
    backward_close(&c->back);
    return done;
}

/* The output's product takes the memory that the loop is done with, where nothing is kept and the
 * loop does not come again. */
static bool compute(run_room *r, bool is_kept, crew *by, bundle *result, run_report *report, err *e)
{
    block_context *c = &r->shared;
    const plan *p = c->plan;
    empty_rows empty = {0};
    float_mode mode;
    float_mode_set(&mode);
    bool done = placed_write(&c->at, p, c->wanted, result, e) &&
                placed_open(&c->at, p, c->wanted, e) && project_inputs(&c->made, p, &c->at, by, e);
    c->made.context_is_finite = true;
    done = done && (!has_loop(r) || loop_open(r, by->most, e)) &&
           (!has_blocks(r) || loop_compute(r, by, &empty, e));
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
    bool goes_back = backward_is_needed(&c->at.where);
    if (!is_kept && !goes_back)
        loop_close(r);
    if (done) {
        done = project_output(&c->made, p, &c->at, by, e) && (!goes_back || go_back(r, by, e));
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
    loop_begin(&r, p, w, by->most);
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
    loop_begin(r, p, w, threads);
}

void run_room_clear(run_room *r)
{
    loop_close(r);
    placed_free(&r->shared.at);
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
    loop_begin(&r, p, w, threads);
    cache_settle(p, w);
    loop_size(&r, threads);
    size_t of_thread = scratch_memory(p, r.block_rows, r.block_columns);
    size_t of_blocks =
        size_sum(size_product(r.slots, panels_memory(p)), size_product(r.threads, of_thread));
    of_blocks = size_sum(of_blocks, schedule_memory(r.slots));
    if (!has_loop(&r))
        of_blocks = 0;
    *bytes = size_sum(places_memory(&r.shared.at.where, p), project_memory(p));
    size_t product = project_product_memory(p, threads);
    size_t back = backward_memory(p, &r.shared.at.where);
    *bytes = size_sum(*bytes, back > 0 ? size_sum(of_blocks, size_sum(product, back))
                                       : size_larger(of_blocks, product));
    return *bytes < SIZE_MAX ||
           err_set(e,
                   "more memory is needed than an address can hold: batches %zu, heads "
                   "%zu, queries %zu, keys %zu",
                   p->batches, p->heads, p->n_q, p->n_k);
}
