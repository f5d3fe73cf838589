#include "model/gradient.h"

#include "attn/engine/multiply.h"
#include "base/mem.h"
#include "model/row_job.h"

#include <stdio.h>

gradient_name gradient_of(const char *of_key)
{
    gradient_name name;
    snprintf(name.text, sizeof name.text, "%s_grad", of_key);
    return name;
}

bool gradient_open(const way_back *g, const tensor *of, tensor *grad, err *e)
{
    size_t index[TENSOR_MAX_RANK] = {0};
    if (!tensor_new(grad, g->type, of->rank, of->size, e))
        return false;
    do
        tensor_set(grad, index, 0);
    while (tensor_next(grad, index));
    return true;
}

bool gradient_check_range(const way_back *g, const keeper *keep, const char *name,
                          const tensor *grad, err *e)
{
    size_t index[TENSOR_MAX_RANK];
    if (g->allow_nonfinite || tensor_is_finite(grad, index))
        return true;
    err_set(e, "%s%s is beyond the range of %s", keep->way.text, name, dtype_name(g->type));
    return err_remedy(e, g->type == DTYPE_F32 ? "--dtype f64 has more range"
                                              : "smaller weights would not be");
}

bool gradient_keep(const way_back *g, const keeper *keep, const char *of_key, tensor *grad, err *e)
{
    if (!gradient_check_range(g, keep, gradient_of(of_key).text, grad, e))
        return false;
    return keeper_take(keep, gradient_of(of_key).text, grad, NULL, e);
}

tensor gradient_rows(const way_back *g, gainer of, const tensor *rows)
{
    const row_span *some = &g->gained[of];
    return some->is_some ? tensor_range(rows, 0, some->first, some->count) : tensor_view_of(rows);
}

bool gradient_of_unused(const way_back *g, const keeper *keep, const bundle *own,
                        const char *of_key, err *e)
{
    const entry *given = bundle_find(own, of_key);
    tensor grad = {0};
    if (given == NULL || !keeper_wants(keep, gradient_of(of_key).text))
        return true;
    bool done =
        gradient_open(g, &given->tensor, &grad, e) && gradient_keep(g, keep, of_key, &grad, e);
    tensor_free(&grad);
    return done;
}

bool gradient_of_weight(const way_back *g, const keeper *keep, const bundle *own,
                        const char *of_key, const tensor *view, const tensor *x, const tensor *dy,
                        err *e)
{
    const entry *given = bundle_find(own, of_key);
    const tensor from = gradient_rows(g, GAINER_WEIGHT, x),
                 of = gradient_rows(g, GAINER_WEIGHT, dy), turned = tensor_transposed(&from);
    tensor made = {0}, grad = {0};
    if (from.size[0] == 0)
        return gradient_of_unused(g, keep, own, of_key, e);
    if (given == NULL || !keeper_wants(keep, gradient_of(of_key).text))
        return true;
    bool done = tensor_new(&made, x->type, 2, view->size, e) &&
                multiply(g->with, &turned, &of, NULL, &made, g->by, e) &&
                tensor_new(&grad, x->type, 2, given->tensor.size, e);
    if (done) {
        tensor to = tensor_seen_as(&grad, view, &given->tensor);
        tensor_copy(&made, &to);
        done = gradient_keep(g, keep, of_key, &grad, e);
    }
    tensor_free(&made);
    tensor_free(&grad);
    return done;
}

bool gradient_of_bias(const way_back *g, gainer of, const keeper *keep, const bundle *own,
                      const char *of_key, const tensor *dy, err *e)
{
    const entry *given = own == NULL ? NULL : bundle_find(own, of_key);
    const tensor rows = gradient_rows(g, of, dy);
    tensor grad = {0};
    if (given == NULL || !keeper_wants(keep, gradient_of(of_key).text))
        return true;
    bool done = gradient_open(g, &given->tensor, &grad, e);
    for (size_t i = 0; done && i < rows.size[0]; i++)
        g->with->add(grad.data, rows.size[1], row_at(&rows, i), 1, grad.data);
    done = done && gradient_keep(g, keep, of_key, &grad, e);
    tensor_free(&grad);
    return done;
}

static bool keep_gain(const way_back *g, const keeper *keep, const bundle *own, const norm *by,
                      const tensor *x, const tensor *dy, err *e)
{
    static const char GAIN[] = "gain";
    const entry *given = own == NULL ? NULL : bundle_find(own, GAIN);
    tensor grad = {0};
    if (given == NULL || !keeper_wants(keep, gradient_of(GAIN).text))
        return true;
    double *sum = mem_alloc_zeroed(x->size[1], sizeof sum[0], e);
    bool done = sum != NULL && gradient_open(g, &given->tensor, &grad, e);
    const tensor from = gradient_rows(g, GAINER_NORM, x), of = gradient_rows(g, GAINER_NORM, dy);
    for (size_t i = 0; done && i < from.size[0]; i++) {
        tensor row = tensor_at(&from, i), dy_row = tensor_at(&of, i);
        norm_gain_back(by, &row, &dy_row, sum);
    }
    tensor flat = tensor_flat(&grad);
    for (size_t i = 0; done && i < x->size[1]; i++)
        tensor_set(&flat, &i, sum[i]);
    done = done && gradient_keep(g, keep, GAIN, &grad, e);
    mem_free(sum);
    tensor_free(&grad);
    return done;
}

bool gradient_of_norm(const way_back *g, const keeper *keep, const bundle *own, const norm *by,
                      const tensor *x, tensor *dy, err *e)
{
    row_job back = {.work = rows_norm_back, .norm = by, .a = x, .b = dy, .out = dy};
    if (!keep_gain(g, keep, own, by, x, dy, e) ||
        !gradient_of_bias(g, GAINER_NORM, keep, own, "bias", dy, e))
        return false;
    rows_run(&back, NORM_COST, g->by);
    return true;
}
