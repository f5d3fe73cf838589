#include "cli/out/streamed_stages.h"

#include "base/mem.h"

#include <stdint.h>

/* A stage of fewer bytes is always kept. Of a streamed one some `part` bytes are made at a time:
 * with the most a part is many blocks for each thread, and computing it once more costs little
 * next to writing so many numbers as text. */
static const size_t KEPT_LEAST = 64 << 10, PART_LEAST = 32 << 10, PART_MOST = 32 << 20;

bool streamed_stages_add(streamed_stages *all, const plan *p, stage_id id)
{
    err ignored = {0};
    size_t size[TENSOR_MAX_RANK], count;
    int rank;
    if (!streamed_stage_can(p, id) || !plan_stage_shape(p, id, &rank, size, &ignored) ||
        !sizes_count(rank, size, &count) || count <= KEPT_LEAST / dtype_size(p->type))
        return false;
    all->numbers[all->count] = count;
    all->id[all->count++] = id;
    return true;
}

void streamed_stages_split(const streamed_stages *all, size_t most_numbers, streamed_stages *above,
                           kept_stages *others)
{
    *above = (streamed_stages){.part = PART_LEAST};
    for (size_t i = 0; i < all->count; i++) {
        if (all->numbers[i] > most_numbers)
            above->id[above->count++] = all->id[i];
        else
            kept_stages_add(others, all->id[i]);
    }
}

void streamed_stages_widen(streamed_stages *all, size_t bytes)
{
    size_t each = all->count == 0 ? 0 : bytes / all->count, most = PART_MOST - all->part;
    all->part += each < most ? each : most;
}

bool streamed_stages_memory(const streamed_stages *all, const plan *p, size_t threads,
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

bool streamed_stages_start(streamed_stages *all, const plan *p, size_t threads, bundle *result,
                           err *e)
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

void streamed_stages_free(streamed_stages *all)
{
    for (size_t i = 0; i < all->count; i++)
        streamed_stage_free(all->stage[i]);
}
