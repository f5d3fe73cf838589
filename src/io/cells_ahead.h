/* Rows of plain numbers in a CSV, read ahead by several threads (io/rows_read.h). */
#ifndef SELFATTN_IO_CELLS_AHEAD_H
#define SELFATTN_IO_CELLS_AHEAD_H

#include "io/cells.h"

/* Adds the next rows of `columns` numbers each, `most` of them at most, and goes behind them: *rows
 * of them, perhaps none. */
bool cells_read_ahead(cells *to, csv_reader *r, size_t columns, size_t most, size_t threads,
                      size_t *rows, err *e);

#endif
