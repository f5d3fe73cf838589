/* CSV and TSV as matrices: one without a name, or named blocks, whose heads and batches become one
 * tensor.
 *
 * A first row of labels and a first column of labels are recognised by their not being numbers, and
 * become the lists "columns" and "rows" (of the first matrix; further blocks' labels are read
 * past). A label that is a number has to be quoted. The cell above a column of labels may hold
 * anything; where it is empty, the first column is labels whatever it holds, and a header may also
 * be one field short, as R writes it, or without quotes where pandas counted the columns, whose
 * numbers are not labels. Without such a header, labels that all are numbers as others write them
 * (io/slips.h) are refused. Numbers follow io/number_read.h's grammar for CSV.
 *
 * A matrix alone is written as plain rows, several or those with heads or a batch as blocks with a
 * blank line between. The lists "columns" and "rows", where there are any, label the first matrix.
 * What is written reads back to the same bits; a vector or a number comes back as a matrix of one
 * row. Holes are empty cells. */
#ifndef SELFATTN_IO_CSV_READ_H
#define SELFATTN_IO_CSV_READ_H

#include "io/csv_cells.h"

/* Goes past blank lines and comments to the next row, where there is one; of the same matrix, past
 * no comment that begins a block. */
bool csv_find_row(csv_reader *r, bool of_same);
/* A row of numbers and holes that could be taken for a header that counts its columns. */
bool csv_row_counts(const char *row, size_t length, char delimiter);

#endif
