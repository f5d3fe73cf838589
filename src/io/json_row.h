/* The numbers of a tensor as JSON: what results and traces are written with. */
#ifndef SELFATTN_IO_JSON_ROW_H
#define SELFATTN_IO_JSON_ROW_H

#include "base/text.h"
#include "tensor/tensor.h"

/* digits < 0: the shortest decimal that reads back to the same number of its type; else so many
 * decimals. What is not finite is a text ("NaN", "Infinity", "-Infinity"), a hole is null. */
void json_element_write(text *out, dtype type, double value, int digits);

/* A tensor of rank 1 as a list on one line. */
void json_row_write(text *out, const tensor *row, int digits);

#endif
