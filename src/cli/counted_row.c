#include "cli/counted_row.h"

#include <math.h>

/* Fewer columns are often written by hand: 0, 1. */
enum { COLUMNS_LEAST = 3 };

static bool counts(const tensor *t)
{
    for (size_t j = 0; j < t->size[1]; j++) {
        if (tensor_get(t, (size_t[]){0, j}) != (double)j)
            return false;
    }
    return true;
}

static bool has_fraction(const tensor *t, size_t row)
{
    for (size_t j = 0; j < t->size[1]; j++) {
        double number = tensor_get(t, (size_t[]){row, j});
        if (number != floor(number))
            return true;
    }
    return false;
}

void counted_row_note(const env *world, const options *o, const entry *matrix)
{
    const tensor *t = &matrix->tensor;
    if (t->rank != 2 || t->size[0] < 2 || t->size[1] < COLUMNS_LEAST || !counts(t))
        return;
    for (size_t i = 1; i < t->size[0]; i++) {
        if (!has_fraction(t, i))
            return;
    }
    note_say(world, o, &matrix->at,
             "the first row, 0 to %zu, is read as numbers; where pandas wrote it as a header, "
             "to_csv(header=False, index=False) leaves it out",
             t->size[1] - 1);
}
