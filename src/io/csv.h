/* CSV and TSV as matrices: one without a name, or named blocks (io/blocks.h), whose heads and
 * batches become one tensor.
 *
 * A first row of labels and a first column of labels are recognised by their not being numbers, and
 * become the lists "columns" and "rows" (of the first matrix; further blocks' labels are read
 * past). A label that is a number has to be quoted. The cell above a column of labels may hold
 * anything; where it is empty, the first column is labels whatever it holds, and a header may also
 * be one field short, as R writes it, or without quotes where pandas counted the columns
 * (io/csv_layout.h), whose numbers are not labels. Without such a header, labels that all are
 * numbers as others write them (io/slips.h) are refused. Numbers follow
 * io/number_read.h's grammar for CSV.
 *
 * A matrix alone is written as plain rows, several or those with heads or a batch as blocks with a
 * blank line between. The lists "columns" and "rows", where there are any, label the first matrix.
 * What is written reads back to the same bits; a vector or a number comes back as a matrix of one
 * row. Holes are empty cells. */
#ifndef SELFATTN_IO_CSV_H
#define SELFATTN_IO_CSV_H

#include "io/format.h"

/* Either is found when rows look like numbers or labels with the format's delimiter between. What
 * both may be, a column alone, is CSV. */
FORMAT_FUNCTIONS(csv);
FORMAT_FUNCTIONS(tsv);
/* True too when no row decides between the two, so that a file's name does. */
bool csv_may_be(const char *bytes, size_t length);
bool tsv_may_be(const char *bytes, size_t length);

/* One number of a matrix (rank 2) as text: nothing for a hole, or "" where spaces separate. */
void csv_number_write(text *out, const tensor *matrix, size_t row, size_t column,
                      const write_options *how);

/* A cell of text: a label or a name. With how->csv_safe one that a spreadsheet would take for a
 * formula gets an apostrophe in front of it, which is a part of the text from then on. */
void csv_text_write(text *out, const char *cell, char delimiter, bool quoted,
                    const write_options *how);
/* Whether a spreadsheet would: it begins with = + - or @, and is not a number. */
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
