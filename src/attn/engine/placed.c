#include "attn/engine/placed.h"

#include <assert.h>
#include <string.h>

bool placed_write(placed *to, const plan *p, const kept_stages *wanted, bundle *result, err *e)
{
    for (size_t i = 0; i < wanted->count; i++) {
        stage_id id = wanted->stage[i];
        const char *name = stage_row(id)->key.named.name;
        const stage_shape *shape = &to->where.of[id].written;
        tensor kept = {0};
        entry *there = bundle_find(result, name);
        if (there == NULL || there->tensor.rank != shape->rank ||
            memcmp(there->tensor.size, shape->size, (size_t)shape->rank * sizeof(size_t)) != 0) {
            if (!tensor_new(&kept, p->type, shape->rank, shape->size, e) ||
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
    for (size_t i = 0; i < to->where.count; i++) {
        stage_id id = to->where.needed[i];
        const stage_place *one = &to->where.of[id];
        if (one->home == HOME_RESULT)
            to->whole[id] = to->written[one->in];
        if (one->home == HOME_RUN && to->whole[id].data == NULL &&
            !tensor_new(&to->whole[id], p->type, one->whole.rank, one->whole.size, e))
            return false;
        if (one->is_given)
            take_given(to, p, id, &wanted->given[id]);
    }
    return true;
}

void placed_free(placed *all)
{
    for (size_t i = 0; i < all->where.count; i++)
        tensor_free(&all->whole[all->where.needed[i]]);
}

tensor placed_at(const placed *all, stage_id id)
{
    assert(all->whole[id].data != NULL);
    return tensor_view_of(&all->whole[id]);
}
