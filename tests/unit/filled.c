#include "filled.h"

entry *bundle_add_filled(bundle *to, const char *name, dtype type, int rank, const size_t *size,
                         const double *number)
{
    err e = {0};
    tensor t;
    size_t index[TENSOR_MAX_RANK] = {0};
    tensor_new(&t, type, rank, size, &e);
    do
        tensor_set(&t, index, *number++);
    while (tensor_next(&t, index));
    bundle_add_tensor(to, name, &t, (place){0}, &e);
    return bundle_find(to, name);
}
