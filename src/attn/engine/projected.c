#include "attn/engine/projected.h"

/* A run of the same plan before this one left its own, in the same order. */
tensor *projected_own(projected *made, const plan *p, int rank, const size_t *size, err *e)
{
    tensor *added = &made->owned[made->owned_count];
    if (added->data == NULL && !tensor_new(added, p->type, rank, size, e))
        return NULL;
    made->owned_count++;
    return added;
}

bool projected_place(projected *made, const plan *p, const tensor *kept, const tensor *like,
                     size_t n, tensor *apart, err *e)
{
    size_t size[] = {like->size[0], like->size[1], n, like->size[3]};
    const tensor *all = kept->data != NULL ? kept : projected_own(made, p, 4, size, e);
    if (all != NULL)
        *apart = plan_heads_apart(all, like->size[1]);
    return all != NULL;
}

/* Inputs were finite, so what is not has left the type's range. */
bool projected_check_range(const plan *p, const char *name, const tensor *t, err *e)
{
    size_t index[TENSOR_MAX_RANK] = {0};
    if (p->asked->allow_nonfinite || tensor_is_finite(t, index))
        return true;
    err_set(e, "%s[row %zu, column %zu] is beyond the range of %s", name, index[t->rank - 2] + 1,
            index[t->rank - 1] + 1, dtype_name(p->type));
    return err_remedy(e, p->type == DTYPE_F32 ? "--dtype f64 has more range"
                                              : "smaller inputs or weights would not be");
}

void projected_free(projected *made)
{
    for (size_t i = 0; i < PROJECTED_OWNED; i++)
        tensor_free(&made->owned[i]);
}

static tensor of_head(const tensor *all, size_t batch, size_t head)
{
    tensor of_batch = tensor_at(all, batch);
    return tensor_at(&of_batch, head);
}

tensor projected_queries(const projected *made, size_t batch, size_t head)
{
    return of_head(&made->queries, batch, head);
}

tensor projected_keys(const projected *made, const plan *p, size_t batch, size_t head)
{
    return of_head(&made->keys, batch, made->keys_have_all_heads ? head : plan_kv_head(p, head));
}

tensor projected_values(const projected *made, const plan *p, size_t batch, size_t head)
{
    return of_head(&made->v, batch, plan_kv_head(p, head));
}
