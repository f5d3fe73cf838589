#include "attn/engine/normalize.h"

/* One head of one batch entry, n × width. */
static bool normalize_head(const plan *p, const char *name, const tensor *x, const void *gain,
                           const tensor *y, err *e)
{
    for (size_t i = 0; i < x->size[0]; i++) {
        tensor from = tensor_at(x, i), to = tensor_at(y, i);
        bool is_in_range =
            p->with->row_rms_norm(from.data, from.size[0], gain, p->asked->qk_eps, to.data);
        if (!is_in_range && !p->asked->allow_nonfinite)
            return err_set(e, "the squares of %s[row %zu] add up to more than float64 holds", name,
                           i + 1);
    }
    return true;
}

static bool normalize(projected *made, const plan *p, stage_id id, const tensor *gain, tensor *kept,
                      tensor *rows, err *e)
{
    const projection *role = plan_role(p, id);
    tensor out;
    if (!projected_place(made, p, &kept[id], rows, rows->size[2], &out, e))
        return false;
    for (size_t unit = 0; unit < p->batches * role->heads; unit++) {
        size_t batch = unit / role->heads, head = unit % role->heads;
        const void *of_head = gain->data == NULL ? NULL : tensor_at(gain, head).data;
        tensor x = tensor_at(rows, batch), y = tensor_at(&out, batch);
        x = tensor_at(&x, head);
        y = tensor_at(&y, head);
        if (!normalize_head(p, input_label(role->given_as), &x, of_head, &y, e))
            return false;
    }
    *rows = out;
    return projected_check_range(p, stage_row(id)->key.named.name, rows, e);
}

bool normalize_both(projected *made, const plan *p, tensor *kept, err *e)
{
    return !p->asked->normalizes ||
           (normalize(made, p, STAGE_Q_NORM, &p->q_gain, kept, &made->q, e) &&
            normalize(made, p, STAGE_K_NORM, &p->k_gain, kept, &made->k, e));
}
