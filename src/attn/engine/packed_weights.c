#include "attn/engine/packed_weights.h"

#include "attn/engine/multiply.h"
#include "base/mem.h"

struct packed_weight {
    const kernels *with;
    tensor of; /* borrowed */
    packed as;
};

bool packed_weights_find(packed_weights *all, const kernels *with, const tensor *weight, packed *as,
                         err *e)
{
    *as = (packed){0};
    for (size_t i = 0; i < all->count; i++) {
        const packed_weight *one = &all->kept[i];
        bool is_it =
            one->with == with && one->of.data == weight->data && one->of.type == weight->type;
        for (int axis = 0; axis < 2; axis++)
            is_it = is_it && one->of.size[axis] == weight->size[axis] &&
                    one->of.stride[axis] == weight->stride[axis];
        if (is_it) {
            *as = one->as;
            return true;
        }
    }
    size_t bytes = with->packed_bytes(weight->size[0], weight->size[1]);
    if (bytes > all->most - all->bytes)
        return true;
    packed_weight *grown = mem_grow(all->kept, all->count, &all->room, sizeof grown[0], e);
    if (grown == NULL)
        return false;
    all->kept = grown;
    packed_weight *one = &grown[all->count];
    *one = (packed_weight){with, tensor_view_of(weight), {.data = mem_alloc(bytes, 1, e)}};
    if (one->as.data == NULL)
        return false;
    with->pack(weight, &one->as);
    all->bytes += bytes;
    all->count++;
    *as = one->as;
    return true;
}

void packed_weights_yield(packed_weights *all, size_t left)
{
    if (left < all->most)
        packed_weights_free(all);
}

void packed_weights_free(packed_weights *all)
{
    for (size_t i = 0; i < all->count; i++)
        packed_free(&all->kept[i].as);
    mem_free(all->kept);
    *all = (packed_weights){0};
}

bool linear_map_apply(const linear_map *m, const kernels *with, const tensor *a, tensor *c,
                      bool *is_finite, crew *by, err *e)
{
    packed ready = {0};
    bool is_kept = m->kept != NULL && multiply_packs(a);
    if (is_kept && !packed_weights_find(m->kept, with, m->weight, &ready, e))
        return false;
    multiply_extras extras = {.ready = ready, .is_finite = is_finite};
    return multiply_with(with, a, m->weight, m->bias, c, &extras, by, e);
}
