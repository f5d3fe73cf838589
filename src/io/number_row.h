/* The numbers of a matrix row as text: the loop that most of the time of writing one is spent in.
 * It stands in number_write.c, where all of it can be inlined. */
#ifndef SELFATTN_IO_NUMBER_ROW_H
#define SELFATTN_IO_NUMBER_ROW_H

#include "base/text.h"
#include "tensor/tensor.h"

/* Writes a row (a tensor of rank 1, float32 or float64) from column `from` on, each number as short
 * as io/number_write.h has them, with the separator of one or two characters in front of all but
 * column 0's. Stops at the first number that is not finite, and returns its column, or else their
 * count. */
size_t number_row_write(text *out, const tensor *row, size_t from, const char *separator);

#endif
