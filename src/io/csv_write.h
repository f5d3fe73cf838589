/* A result as CSV or TSV: a matrix alone as plain rows, several or those with heads or a batch as
 * blocks (io/blocks.h) with a blank line between. The lists "columns" and "rows", where there are
 * any, label the first matrix. What is written reads back (csv_read) to the same bits; a vector or
 * a number comes back as a matrix of one row. Holes are empty cells. */
#ifndef SELFATTN_IO_CSV_WRITE_H
#define SELFATTN_IO_CSV_WRITE_H

#include "io/format.h"

bool csv_write(const bundle *result, const write_options *how, sink *out, err *e);
bool tsv_write(const bundle *result, const write_options *how, sink *out, err *e);

/* One number of a matrix (rank 2) as text: nothing for a hole, or "" where spaces separate. */
void csv_number_write(text *out, const tensor *matrix, size_t row, size_t column,
                      const write_options *how);

/* A cell of text: a label or a name. With how->csv_safe one that a spreadsheet would take for a
 * formula gets an apostrophe in front of it, which is a part of the text from then on. */
void csv_text_write(text *out, const char *cell, char delimiter, bool quoted,
                    const write_options *how);
/* Whether a spreadsheet would: it begins with = + - or @, and is no number. */
bool csv_is_formula(const char *cell);

/* What made a result, as comments: a line each. NULL: nothing. */
void csv_write_header(text *to, const text_list *header);

/* The lists "columns" and "rows", and the text "corner", which is kept where it was read as such:
 * labels of the first matrix. */
bool csv_is_labels(const entry *one);

/* Refuses, naming `what` is written ("CSV"), what no table of numbers can hold: texts, bundles,
 * lists but "columns" and "rows", tensors without elements. */
bool csv_check_result(const bundle *result, const char *what, err *e);

#endif
