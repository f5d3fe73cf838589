/* The header of a tidy table (io/tidy.h): its columns, in any order. */
#ifndef SELFATTN_IO_TIDY_HEADER_H
#define SELFATTN_IO_TIDY_HEADER_H

#include "io/csv_record.h"
#include "io/format.h"
#include "io/grid.h"

/* stage, those of grid_axis in its order, value; without a stage it is one matrix without a name */
enum { TIDY_STAGE, TIDY_FIRST_INDEX, TIDY_VALUE = TIDY_FIRST_INDEX + GRID_AXES, TIDY_COLUMNS };

/* What the fields of a line are, in their order; TIDY_COLUMNS is a column without a name, in which
 * R and pandas count the lines. */
typedef struct tidy_header {
    size_t count, column[TIDY_COLUMNS + 1];
    bool has[TIDY_COLUMNS + 1];
} tidy_header;

/* Goes past comments, which may say what made the table, to the first row. */
bool tidy_header_find(csv_reader *r, const read_options *how, err *e);
/* Reads that row. */
bool tidy_header_read(csv_reader *r, tidy_header *h, err *e);

/* The delimiter that makes the first row a header, or 0. */
char tidy_header_delimiter(const char *bytes, size_t length);

#endif
