#include "model/head.h"

#include "attn/engine/multiply.h"
#include "model/row_job.h"

const char HEAD[] = "head", HEAD_NORM_NAME[] = "head.norm";

bool head_run(const logits_head *h, const kernels *with, crew *by, const tensor *x,
              bool allow_nonfinite, head_rows *made, const keeper *keep, err *e)
{
    static const tensor NO_GATE = {0};
    const keeper within = keeper_within(keep, HEAD);
    const size_t size[] = {x->size[0], h->width};
    row_job j = {.work = rows_activate,
                 .with = with,
                 .activation = h->by,
                 .a = &made->hidden,
                 .b = &NO_GATE,
                 .out = &made->activated};
    *made = (head_rows){0};
    if (!tensor_new(&made->hidden, x->type, 2, size, e) ||
        !multiply(with, x, &h->w, &h->b, &made->hidden, by, e) ||
        !keeper_keep(&within, "hidden", &made->hidden, "bqO", e))
        return false;
    if (h->by != NULL) {
        if (!tensor_new(&made->activated, x->type, 2, size, e))
            return false;
        rows_run(&j, ACTIVATION_COST, by);
        if (!keeper_keep(&within, "activated", &made->activated, "bqO", e))
            return false;
    }
    return !h->has_norm ||
           (tensor_new(&made->norm, x->type, 2, size, e) &&
            rows_norm_all(&h->norm, with, head_normed(made), &made->norm, allow_nonfinite, by, e) &&
            keeper_keep(&within, "norm", &made->norm, "bqO", e));
}

void head_rows_free(head_rows *of)
{
    tensor_free(&of->hidden);
    tensor_free(&of->activated);
    tensor_free(&of->norm);
}

const tensor *head_normed(const head_rows *of)
{
    return of->activated.data != NULL ? &of->activated : &of->hidden;
}

const tensor *head_made(const head_rows *of)
{
    return of->norm.data != NULL ? &of->norm : head_normed(of);
}

const char *head_made_name(const logits_head *h)
{
    return h->has_norm ? HEAD_NORM_NAME : h->by != NULL ? "head.activated" : "head.hidden";
}

bool head_back(const logits_head *h, const way_back *g, const bundle *own, const tensor *x,
               const head_rows *made, tensor *grad, tensor *of_x, const keeper *keep, err *e)
{
    const keeper within = keeper_within(keep, HEAD), of_norm = keeper_within(&within, "norm");
    const entry *norm_keys = bundle_find(own, "norm");
    const tensor turned = tensor_transposed(&h->w);
    row_job j = {.work = rows_activate_back,
                 .in64 = g->in64,
                 .activation = h->by,
                 .a = &made->hidden,
                 .b = grad,
                 .out = grad};
    if (h->has_norm &&
        (!keeper_keep(&within, "norm_grad", grad, "bqO", e) ||
         !gradient_of_norm(g, &of_norm, norm_keys->bundle, &h->norm, head_normed(made), grad, e)))
        return false;
    if (h->by != NULL) {
        if (!keeper_keep(&within, "activated_grad", grad, "bqO", e))
            return false;
        rows_run(&j, ACTIVATION_COST, g->by);
    }
    return keeper_keep(&within, "hidden_grad", grad, "bqO", e) &&
           gradient_of_weight(g, &within, own, "w", &h->w, x, grad, e) &&
           gradient_of_bias(g, GAINER_BIAS, &within, own, "b", grad, e) &&
           multiply(g->with, grad, &turned, NULL, of_x, g->by, e);
}

size_t head_memory(const logits_head *h, dtype type, size_t rows)
{
    enum { AT_ONCE = 4 };
    return tensor_bytes(type, 3, (size_t[]){AT_ONCE, rows, h->width});
}
