/* One long table, a line a number, for R, pandas, Miller and SQL: stage,batch,head,row,col,value.
 *
 * Indices count from 0; batch and head are empty where a stage has no such axis. `weighted` has one
 * axis more: weights[i,j]·v[j] is a vector, whose places are counted in a further column,
 * stage,batch,head,row,col,item,value, which is there (and empty for the other stages) only when
 * such a stage is. So row and col mean the same in weights and weighted, and a join or a sum over
 * col needs nothing else. Holes are empty values.
 *
 * Lines are read in any order, but a stage has to be whole. A stage's numbers come back to the same
 * bits; a vector or a number comes back as a matrix of one row. */
#ifndef SELFATTN_IO_TIDY_H
#define SELFATTN_IO_TIDY_H

#include "io/format.h"

/* True when the first line is one of the two headers. */
bool tidy_probe(const char *bytes, size_t length);

/* `out` comes in empty, and is empty again when reading fails. */
bool tidy_read(const char *bytes, size_t length, const read_options *how, bundle *out, err *e);
bool tidy_write(const bundle *result, const write_options *how, sink *out, err *e);

#endif
