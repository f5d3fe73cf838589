/* Rows that are computed as a writer comes to them, for a matrix that is too large to be kept. */
#ifndef SELFATTN_IO_STREAMED_ROWS_H
#define SELFATTN_IO_STREAMED_ROWS_H

#include "tensor/tensor.h"

typedef struct streamed_rows {
    /* Makes rows of this matrix, from `first` on: as many as *count says then, one at least, of as
     * many as it said before. Any others may be gone, and can be had again. */
    bool (*make)(void *context, const tensor *matrix, size_t first, size_t *count, err *e);
    void *context;
} streamed_rows;

#endif
