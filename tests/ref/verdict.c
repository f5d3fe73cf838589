#include "ref/verdict.h"

#include <stdio.h>
#include <string.h>

bool verdict_differs(verdict *v, const char *name, const char *why)
{
    snprintf(v->wrong, sizeof v->wrong, "%s: %s", name, why);
    return false;
}

enum { TOLD = 5, KINDS = 256, KIND = 96 };

static struct {
    char name[KIND];
    size_t count;
} kind[KINDS];
static size_t told;

void verdict_tell(const char *where, const char *what, const char *wrong)
{
    char name[KIND];
    size_t i = 0;
    snprintf(name, sizeof name, "%s: %.*s", what, (int)strcspn(wrong, "[ :"), wrong);
    while (i + 1 < KINDS && kind[i].count > 0 && strcmp(kind[i].name, name) != 0)
        i++;
    memcpy(kind[i].name, name, sizeof name);
    if (++kind[i].count > TOLD)
        return;
    told++;
    printf("FAIL %s: %s: %s\n", where, what, wrong);
}

size_t verdict_told(void)
{
    return told;
}

void verdict_tell_rest(void)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (kind[i].count > TOLD)
            printf("FAIL %s: %zu times more\n", kind[i].name, kind[i].count - TOLD);
    }
}

void verdict_count(const verdict *v, bool holds, const char *where, const char *property,
                   size_t *passed, size_t *failed)
{
    *passed += holds && v->runs > 0;
    *failed += !holds;
    if (!holds)
        verdict_tell(where, property, v->wrong);
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
