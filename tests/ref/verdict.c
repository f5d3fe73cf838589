#include "ref/verdict.h"

#include <stdio.h>
#include <string.h>

bool verdict_differs(verdict *v, const char *name, const char *why)
{
    snprintf(v->wrong, sizeof v->wrong, "%s: %s", name, why);
    return false;
}

void verdict_count(const verdict *v, bool holds, const char *where, const char *property,
                   size_t *passed, size_t *failed)
{
    *passed += holds && v->runs > 0;
    *failed += !holds;
    if (!holds)
        printf("FAIL %s: %s: %s\n", where, property, v->wrong);
}

bool same_part(const tensor *whole, const tensor *part, int axis, size_t first)
{
    size_t index[TENSOR_MAX_RANK] = {0}, size = dtype_size(whole->type);
    if (whole->rank != part->rank || whole->type != part->type)
        return false;
    do {
        ptrdiff_t from = whole->stride[axis] * (ptrdiff_t)first, at = 0;
        for (int i = 0; i < part->rank; i++) {
            from += whole->stride[i] * (ptrdiff_t)index[i];
            at += part->stride[i] * (ptrdiff_t)index[i];
        }
        if (memcmp((const char *)whole->data + (size_t)from * size,
                   (const char *)part->data + (size_t)at * size, size) != 0)
            return false;
    } while (tensor_next(part, index));
    return true;
}

bool same_bytes(const tensor *a, const tensor *b)
{
    return tensor_same_shape(a, b) && same_part(a, b, 0, 0);
}
