/* CSV and TSV as matrices: one without a name, or named blocks (io/blocks.h), whose heads and
 * batches become one tensor.
 *
 * A first row of labels and a first column of labels are recognised by their not being numbers, and
 * become the lists "columns" and "rows" (of the first matrix; further blocks' labels are read
 * past). A label that is a number has to be quoted. The cell above a column of labels may hold
 * anything; where it is empty, the first column is labels whatever it holds, and a header may also
 * be one field short, as R writes it, or without quotes where pandas counted the columns
 * (io/csv_layout.h), whose numbers are no labels. Without such a header, labels that all are
 * numbers as others write them (io/spoiled_number.h) are refused. Numbers follow
 * io/number_read.h's grammar for CSV. */
#ifndef SELFATTN_IO_CSV_READ_H
#define SELFATTN_IO_CSV_READ_H

#include "io/format.h"

/* True when rows look like numbers or labels with the format's delimiter between. What both may be,
 * a column alone, is CSV. */
bool csv_probe(const char *bytes, size_t length);
bool tsv_probe(const char *bytes, size_t length);
/* True too when no row decides between the two, so that a file's name does. */
bool csv_may_be(const char *bytes, size_t length);
bool tsv_may_be(const char *bytes, size_t length);

/* `out` comes in empty, and is empty again when reading fails. */
bool csv_read(const char *bytes, size_t length, const read_options *how, bundle *out, err *e);
bool tsv_read(const char *bytes, size_t length, const read_options *how, bundle *out, err *e);

#endif
