/* One long table, a line a number, for R, pandas, Miller and SQL: stage,batch,head,row,col,value.
 *
 * Indices count from 0; batch and head are empty where a stage has no such axis. `weighted` has one
 * axis more: weights[i,j]·v[j] is a vector, whose places are counted in a further column,
 * stage,batch,head,row,col,item,value, which is there (and empty for the other stages) only when
 * such a stage is. So row and col mean the same in weights and weighted, and a join or a sum over
 * col needs nothing else. Holes are empty values.
 *
 * Lines and columns are read in any order, with the delimiter that the header has; batch and head
 * may be left out, and a first column without a name is passed over. Without the column stage, all
 * lines are one matrix without a name. As others write them, an index that is not there may be NA
 * (R), and one that is may end with .0 (pandas). A stage has to be whole. Its numbers come back to
 * the same bits; a vector or a number comes back as a matrix of one row. */
#ifndef SELFATTN_IO_TIDY_H
#define SELFATTN_IO_TIDY_H

#include "io/format.h"

/* Found when the first row is a header of these columns. */
FORMAT_FUNCTIONS(tidy);
/* True too for any other table: one that is called tidy and is not is refused, since its indices
 * would be taken for numbers. */
bool tidy_may_be(const char *bytes, size_t length);

#endif
