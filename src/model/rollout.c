#include "model/rollout.h"

#include "attn/engine/multiply.h"

/* w = ½·w + ½·I, of each entry of the batch */
static void add_residual(tensor *w)
{
    size_t n = w->size[1];
    for (size_t i = 0; i < w->size[0]; i++) {
        for (size_t j = 0; j < n; j++) {
            size_t at[] = {i, j};
            tensor_set(w, at, 0.5 * tensor_get(w, at) + (i % n == j ? 0.5 : 0));
        }
    }
}

static bool multiply_entries(const tensor *a, const tensor *b, tensor *c, const kernels *with,
                             crew *by, err *e)
{
    size_t n = a->size[1];
    for (size_t first = 0; first < a->size[0]; first += n) {
        tensor of_a = tensor_range(a, 0, first, n), of_b = tensor_range(b, 0, first, n),
               of_c = tensor_range(c, 0, first, n);
        if (!multiply(with, &of_a, &of_b, NULL, &of_c, by, e))
            return false;
    }
    return true;
}

bool rollout_add(tensor *rollout, tensor *w, const kernels *with, crew *by, err *e)
{
    tensor product;
    add_residual(w);
    if (rollout->data == NULL) {
        *rollout = *w;
        *w = (tensor){0};
        return true;
    }
    bool done = tensor_new(&product, w->type, 2, w->size, e) &&
                multiply_entries(w, rollout, &product, with, by, e);
    tensor_free(w);
    tensor_free(done ? rollout : &product);
    if (done)
        *rollout = product;
    return done;
}
