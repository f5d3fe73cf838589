/* Rows of a matrix as text, for every format that writes a row after the other: several threads
 * each format a range of rows, and the ranges are written in their order, so that the bytes don't
 * depend on how many there are. */
#ifndef SELFATTN_IO_ROWS_TEXT_H
#define SELFATTN_IO_ROWS_TEXT_H

#include "io/format.h"

typedef struct rows_text {
    const tensor *matrix;
    void (*write)(const void *context, size_t row, text *to);
    const void *context;
} rows_text;

/* Uses `threads` where there are so many numbers that starting them pays, and needs the memory of a
 * range, a fraction of a megabyte, for each. */
bool rows_text_write(const rows_text *all, const write_options *how, sink *out, err *e);

#endif
