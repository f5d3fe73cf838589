#include "attn/engine/linear_map.h"

#include "attn/engine/multiply.h"

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
