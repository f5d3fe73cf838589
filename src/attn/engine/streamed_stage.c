#include "attn/engine/streamed_stage.h"

#include "attn/engine/project.h"
#include "attn/engine/run_blocks.h"
#include "base/mem.h"

#include <stdint.h>
#include <string.h>

struct streamed_stage {
    kept_stages wanted;
    run run;
    crew by;
    tensor whole;
    size_t bytes, blocks; /* of the whole */
    size_t part;          /* bytes that are there at a time, about */
    size_t some, counted; /* blocks of them, and their bytes */
    size_t first, end;    /* the rows that are there */
};

bool streamed_stage_can(const plan *p, stage_id id)
{
    return id <= STAGE_ROUNDED && strcmp(stage_row(id)->axes, "bhqk") == 0 &&
           p->asked->cache == NULL;
}

/* The stage's place, without memory, and what its rows are computed from. */
static bool prepare(streamed_stage *s, const plan *p, stage_id id, err *e)
{
    block_context *c = &s->run.shared;
    float_mode mode;
    size_t size[TENSOR_MAX_RANK], count;
    tensor all;
    int rank;
    plan_stage_shape(p, id, &rank, size);
    if (!sizes_count(rank, size, &count) || !size_mul(count, dtype_size(p->type), &s->bytes))
        return err_no_memory(e, SIZE_MAX);
    void *data = reserve_new(s->bytes, e);
    if (data == NULL)
        return false;
    tensor_own(&all, p->type, rank, size, data);
    s->whole = tensor_view_of(&all);
    c->plan = p;
    c->wanted = &s->wanted;
    c->kept[id] = plan_all_axes(p, id, &s->whole);
    kept_stages_add(&s->wanted, id);
    run_size_blocks(&s->run);
    s->blocks = s->run.end;
    size_t of_block = s->run.block_rows * p->n_k * dtype_size(s->whole.type);
    s->some = s->part / of_block + 1;
    if (!mem_count_in(s->some * of_block, e))
        return false;
    s->counted = s->some * of_block;
    float_mode_set(&mode);
    bool done =
        project_inputs(&c->made, p, c->kept, &s->by, e) && run_blocks_open(&s->run, s->by.most, e);
    float_mode_restore(&mode);
    return done;
}

/* The first row of a block, and after the last one the end of all rows. */
static size_t row_of(const run *r, size_t number)
{
    return number / r->blocks * r->shared.plan->n_q + number % r->blocks * r->block_rows;
}

streamed_stage *streamed_stage_new(const plan *p, stage_id id, size_t part, size_t threads, err *e)
{
    streamed_stage *s = mem_alloc_zeroed(1, sizeof *s, e);
    if (s == NULL)
        return NULL;
    s->part = part;
    crew_open(&s->by, threads);
    if (prepare(s, p, id, e))
        return s;
    streamed_stage_free(s);
    return NULL;
}

void streamed_stage_free(streamed_stage *s)
{
    if (s == NULL)
        return;
    run_blocks_close(&s->run);
    projected_free(&s->run.shared.made);
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
        run *r = &s->run;
        empty_rows empty;
        float_mode mode;
        size_t n_q = r->shared.plan->n_q;
        r->first = first / n_q * r->blocks + first % n_q / r->block_rows;
        r->end = s->blocks - r->first > s->some ? r->first + s->some : s->blocks;
        reserve_clear(s->whole.data, s->bytes);
        s->first = row_of(r, r->first);
        s->end = row_of(r, r->end);
        float_mode_set(&mode);
        done = run_compute_blocks(r, &s->by, &empty, e);
        float_mode_restore(&mode);
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
    run r = {.shared = {.plan = p, .wanted = &only}};
    kept_stages_add(&only, id);
    run_size_blocks(&r);
    if (!run_memory(p, &none, threads, bytes, e))
        return false;
    return (size_add_product(&part, r.block_rows * dtype_size(p->type), p->n_k) &&
            size_add(*bytes, part, bytes)) ||
           err_no_memory(e, SIZE_MAX);
}
