/* Work on rows that don't know of each other, split over the crew. */
#ifndef SELFATTN_MODEL_ROWS_H
#define SELFATTN_MODEL_ROWS_H

#include "base/threads.h"

/* Does something to `count` rows from `first` on. */
typedef void row_work(const void *context, size_t first, size_t count);

/* All rows, where a row costs so many operations. */
void rows_run(crew *by, size_t rows, double operations, row_work *work, const void *context);

#endif
