#include "attn/engine/placed.h"

#include <assert.h>
#include <string.h>

bool placed_write(placed *to, const plan *p, const kept_stages *wanted, bundle *result, err *e)
{
    for (size_t i = 0; i < wanted->count; i++) {
        stage_id id = wanted->stage[i];
        const char *name = stage_row(id)->key.named.name;
        size_t size[TENSOR_MAX_RANK];
        tensor kept = {0};
        int rank;
        kept_stages_shape(p, wanted, id, &rank, size);
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
        bool is_row = kept_stages_is_one_row(p, wanted, id);
        there->axes = is_row ? "ke" : plan_axes(p, id);
        to->written[id] =
            is_row ? tensor_view_of(&there->tensor) : plan_all_axes(p, id, &there->tensor);
    }
    return true;
}

/* Given numbers are the stage; or, where heads that lie apart come side by side, a copy is. */
static void take_given(placed *to, const plan *p, stage_id id, const tensor *numbers)
{
    tensor given = plan_all_axes(p, id, numbers);
    if (to->where.of[id].is_written)
        tensor_copy(&given, &to->written[id]);
    if (to->where.of[id].home == HOME_INPUT) {
        to->whole[id] = given;
    } else {
        tensor apart = plan_heads_apart(&to->whole[id], p->heads);
        tensor_copy(&given, &apart);
    }
}

bool placed_open(placed *to, const plan *p, const kept_stages *wanted, err *e)
{
    for (stage_id id = 0; id < STAGE_COUNT; id++) {
        const stage_place *one = &to->where.of[id];
        if (one->home == HOME_NONE || one->home == HOME_BLOCK)
            continue;
        if (one->home == HOME_RESULT)
            to->whole[id] = to->written[one->in];
        if (one->home == HOME_RUN && to->own[id].data == NULL) {
            if (!tensor_new(&to->own[id], p->type, one->rank, one->size, e))
                return false;
            to->whole[id] = tensor_view_of(&to->own[id]);
        }
        if (one->is_given)
            take_given(to, p, id, &wanted->given[id]);
    }
    return true;
}

void placed_free(placed *all)
{
    for (stage_id id = 0; id < STAGE_COUNT; id++)
        tensor_free(&all->own[id]);
}

tensor placed_at(const placed *all, stage_id id)
{
    assert(all->whole[id].data != NULL);
    return all->whole[id];
}
