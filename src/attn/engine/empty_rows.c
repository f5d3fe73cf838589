#include "attn/engine/empty_rows.h"

void empty_rows_join(empty_rows *to, const empty_rows *more)
{
    if (to->count == 0 || (more->count > 0 && more->first < to->first))
        to->first = more->first;
    to->count += more->count;
}

void empty_rows_add(empty_rows *to, size_t row)
{
    empty_rows_join(to, &(empty_rows){1, row});
}
