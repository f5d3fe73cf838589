/* Units of work that several threads make at once, and that are handed over one after the other, in
 * their order: rows of a file, say, that are formatted side by side and written as they stand. */
#ifndef SELFATTN_IO_IN_ORDER_H
#define SELFATTN_IO_IN_ORDER_H

#include "io/format.h"

typedef struct ordered_work {
    size_t units;
    void (*make)(void *context, size_t worker, size_t unit);
    /* Called by the worker that made the unit, once all units before it are handed over; false:
     * nothing after it is. */
    bool (*hand_over)(void *context, size_t worker, size_t unit);
} ordered_work;

/* As many units as there are threads are in memory at most. Where threads can't be started fewer do
 * the work, the caller's alone if need be. False where a unit's handing over was. */
bool threads_run_in_order(size_t threads, const ordered_work *work, void *context);

/* ---- rows ---- */

/* Rows of numbers in a long text, for every format that stores a row after the other: several
 * threads each read a part of the text ahead, and hand over its rows in their order.
 *
 * Only rows of the usual form are read: as many numbers as the first row had, of the form that a
 * list of io/number_read.h knows. At the first row that is anything else, and at the last one, the
 * format's own reader goes on: it reads them, or says what is wrong and where, as if it had read
 * all. */

typedef struct rows_read {
    const char *at, *end; /* where a row begins, and where the text ends */
    size_t columns, size; /* numbers in a row, and bytes of one */
    /* Which rows begin with, or after, where `is_before`. */
    char mark;
    bool is_before;
    /* Reads the row that begins here; where the next one does, NULL where it is not as usual. */
    const char *(*read)(const void *to, const char *row, void *numbers);
    /* Called for the rows in their order: false, perhaps with the error set, ends it in front of
     * these. */
    bool (*take)(void *to, const void *numbers, size_t rows, err *e);
    void *to;
} rows_read;

/* Uses `threads` where there is so much text that starting them pays, and reads nothing otherwise.
 * Gives where the first row begins that was not taken. An error is one of taking. */
const char *rows_read_ahead(const rows_read *all, size_t threads, err *e);

/* Rows of a matrix as text, for every format that writes a row after the other: several threads
 * each format a range of rows, and the ranges are written in their order, so that the bytes don't
 * depend on how many there are. */

typedef struct rows_text {
    const tensor *matrix;
    void (*write)(const void *context, size_t row, text *to);
    const void *context;
} rows_text;

/* Uses `threads` where there are so many numbers that starting them pays, and needs the memory of a
 * range, a fraction of a megabyte, for each. */
bool rows_text_write(const rows_text *all, const write_options *how, sink *out, err *e);

#endif
