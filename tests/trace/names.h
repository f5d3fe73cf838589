/* What a name above a matrix stands for: "scores, head 1 of 2", "Wq in head 2", "x[1]", "bo". */
#ifndef SELFATTN_TESTS_TRACE_NAMES_H
#define SELFATTN_TESTS_TRACE_NAMES_H

#include "reader.h"

typedef struct named_matrix {
    tensor numbers;             /* of rank 0 to 2 */
    const char *rows, *columns; /* letters of the labels; NULL: numbers */
    const text_list *row_names, *column_names;
    size_t focus; /* the row that an arrow may point to, from 1; 0: none */
} named_matrix;

/* Fails where nothing is called so, or where a head or row is said that is not in focus. "× " and
 * "= " before the name are passed over. */
named_matrix matrix_named(reader *r, const char *name);

/* A label, whole or cut: "incomprehensibi…". */
void read_label(reader *r, const char *letter, const text_list *names, size_t index);

/* A number or a vector as one row. */
tensor as_matrix(const tensor *t);

#endif
