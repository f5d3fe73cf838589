/* Work on rows that don't know of each other, split over the crew; and the vectors that go with
 * them, gains and biases. */
#ifndef SELFATTN_MODEL_ROWS_H
#define SELFATTN_MODEL_ROWS_H

#include "base/threads.h"
#include "tensor/bundle.h"

/* Does something to `count` rows from `first` on. */
typedef void row_work(const void *context, size_t first, size_t count);

/* All rows, where a row costs so many operations. */
void rows_run(crew *by, size_t rows, double operations, row_work *work, const void *context);

/* A view of so many numbers, a row or a column; no data where `from` has none of this name. `of` is
 * whose it is, where the name alone doesn't say that: the gain of "ln1"; else NULL. */
bool vector_read(const bundle *from, const char *name, const char *of, size_t count, tensor *out,
                 err *e);

#endif
