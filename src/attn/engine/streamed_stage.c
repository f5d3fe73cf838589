#include "attn/engine/streamed_stage.h"

#include "attn/engine/loop.h"
#include "base/mem.h"

#include <string.h>

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
    const stage *row = stage_row(id);
    return row->by == STAGE_BY_BLOCK && strcmp(row->axes, "bhqk") == 0 && p->asked->cache == NULL;
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
    loop_begin(&s->run, p, &s->wanted, s->by.most);
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
    c->at.written[id] = plan_all_axes(p, id, &s->whole);
    s->blocks = s->run.end;
    size_t of_block = s->run.block_rows * p->n_k * dtype_size(s->whole.type);
    s->some = part / of_block + 1;
    if (!mem_count_in(s->some * of_block, e))
        goto done;
    s->counted = s->some * of_block;
    float_mode_set(&mode);
    done = placed_open(&c->at, p, &s->wanted, e) &&
           project_inputs(&c->made, p, &c->at, &s->by, e) && loop_open(&s->run, s->by.most, e);
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
        done = loop_compute(r, &s->by, &empty, e);
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
    loop_begin(&r, p, &only, threads);
    if (!run_memory(p, &none, threads, bytes, e))
        return false;
    part = size_sum(part, size_product(r.block_rows * dtype_size(p->type), p->n_k));
    *bytes = size_sum(*bytes, part);
    return *bytes < SIZE_MAX || err_no_memory(e, SIZE_MAX);
}
