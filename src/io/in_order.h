/* Work that several threads do at once, and whose results are taken in their order: rows of a file,
 * say, that are formatted side by side and written one after the other.
 *
 * So the bytes do not depend on the number of threads. */
#ifndef SELFATTN_IO_IN_ORDER_H
#define SELFATTN_IO_IN_ORDER_H

#include "io/format.h"

typedef struct ordered_work {
    size_t units;
    void (*make)(void *context, size_t worker, size_t unit);
    /* Called by the worker that made the unit, once all units before it were handed over. False
     * ends the work: no unit after this one is handed over. */
    bool (*hand_over)(void *context, size_t worker, size_t unit);
} ordered_work;

/* At most as many units are in memory as there are threads. Where threads can't be started, fewer
 * do the work, if need be the caller's alone. False where a hand_over was false.
 * Public for its test. */
bool threads_run_in_order(size_t threads, const ordered_work *work, void *context);

/* ---- rows ---- */

/* Reads rows of numbers in a long text, for every format that stores one row after the other: each
 * thread reads a part of the text, and its rows are taken in their order.
 *
 * Only rows of the usual form are read: as many numbers as the first row had, of the form that a
 * list of io/number_read.h knows. At the first other row, and at the last row, this ends, and the
 * format's own reader goes on: it reads the rest, or says what is wrong and where, as if it had
 * read all. */

typedef struct rows_read {
    const char *at, *end; /* where a row begins, and where the text ends */
    size_t columns, size; /* numbers in a row, and bytes of one */
    /* The character that a row begins with; with `is_before`, that stands in front of a row. */
    char mark;
    bool is_before;
    /* Reads the row that begins here. Returns where the next one begins, NULL for an unusual
     * row. */
    const char *(*read)(const void *to, const char *row, void *numbers);
    /* Called for the rows in their order. False, perhaps with the error set, ends the reading:
     * these rows and all after them are not taken. */
    bool (*take)(void *to, const void *numbers, size_t rows, err *e);
    void *to;
} rows_read;

/* Reads only where there is so much text that starting the threads pays. Returns where the first
 * row begins that was not taken. Only `take` sets the error. */
const char *rows_read_ahead(const rows_read *all, size_t threads, err *e);

/* Writes rows of a matrix as text, for every format that writes one row after the other: each
 * thread formats a range of rows, and the ranges are written in their order. */

typedef struct rows_text {
    const tensor *matrix;
    void (*write)(const void *context, size_t row, text *to);
    const void *context;
} rows_text;

/* Uses how->threads where there are so many numbers that starting them pays. Each takes the memory
 * of one range, a fraction of a megabyte. */
bool rows_text_write(const rows_text *all, const write_options *how, sink *out, err *e);

#endif
