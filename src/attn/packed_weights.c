#include "attn/packed_weights.h"

#include "attn/multiply.h"
#include "base/mem.h"

static bool is_same_matrix(const tensor *a, const tensor *b)
{
    bool is_same = a->data == b->data && a->type == b->type && a->rank == b->rank;
    for (int axis = 0; is_same && axis < a->rank; axis++)
        is_same = a->size[axis] == b->size[axis] && a->stride[axis] == b->stride[axis];
    return is_same;
}

static bool add(packed_weights *all, const kernels *with, const tensor *weight, size_t bytes,
                err *e)
{
    struct packed_weight *one = &all->kept[all->count];
    one->as.data = mem_alloc(bytes, 1, e);
    if (one->as.data == NULL)
        return false;
    one->with = with;
    one->of = tensor_view_of(weight);
    with->pack(weight, &one->as);
    all->bytes_left -= bytes;
    all->count++;
    return true;
}

bool packed_weights_find(packed_weights *all, const kernels *with, const tensor *weight,
                         const packed **as, err *e)
{
    size_t i = 0, bytes = with->packed_bytes(weight->size[0], weight->size[1]);
    while (i < all->count &&
           !(all->kept[i].with == with && is_same_matrix(&all->kept[i].of, weight)))
        i++;
    *as = NULL;
    if (i == PACKED_WEIGHTS_MOST || (i == all->count && bytes > all->bytes_left))
        return true;
    if (i == all->count && !add(all, with, weight, bytes, e))
        return false;
    *as = &all->kept[i].as;
    return true;
}

void packed_weights_free(packed_weights *all)
{
    for (size_t i = 0; i < all->count; i++)
        packed_free(&all->kept[i].as);
    *all = (packed_weights){0};
}
