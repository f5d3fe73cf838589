/* Rows of queries that may attend to nothing: how many there are, and which is the first. Threads
 * meet them in any order, and say the same together. */
#ifndef SELFATTN_ATTN_ENGINE_EMPTY_ROWS_H
#define SELFATTN_ATTN_ENGINE_EMPTY_ROWS_H

#include <stddef.h>

typedef struct empty_rows {
    size_t count;
    size_t first; /* a row as plan_row_number counts; nothing where there are none */
} empty_rows;

void empty_rows_add(empty_rows *to, size_t row);
void empty_rows_join(empty_rows *to, const empty_rows *more);

#endif
