#include "filled.h"

entry *bundle_add_filled(bundle *to, const char *name, dtype type, int rank, const size_t *size,
                         const double *number)
{
    err e = {0};
    tensor t;
    size_t index[TENSOR_MAX_RANK] = {0};
    tensor_new(&t, type, rank, size, &e);
    for (size_t left = tensor_count(&t); left > 0; left--) { /* of an empty one there is none */
        tensor_set(&t, index, *number++);
        tensor_next(&t, index);
    }
    bundle_add_tensor(to, name, &t, (place){0}, &e);
    return bundle_find(to, name);
}

tensor rows_in_one_place(dtype type, size_t rows, size_t columns)
{
    static double zero;
    return (tensor){.type = type, .rank = 2, .size = {rows, columns}, .data = &zero};
}
