/* Rows of numbers in a long text, for every format that stores a row after the other: several
 * threads each read a part of the text ahead, and hand over its rows in their order.
 *
 * Only rows of the usual form are read: as many numbers as the first row had, of the form that
 * io/number_list.h knows. At the first row that is anything else, and at the last one, the format's
 * own reader goes on: it reads them, or says what is wrong and where, as if it had read all. */
#ifndef SELFATTN_IO_ROWS_READ_H
#define SELFATTN_IO_ROWS_READ_H

#include "base/err.h"

typedef struct rows_read {
    const char *at, *end; /* where a row begins, and where the text ends */
    size_t columns, size; /* numbers in a row, and bytes of one */
    /* Where the first row that begins in [from, to) does, from > at; NULL where none does. */
    const char *(*find)(const void *format, const char *from, const char *to);
    /* Reads the row that begins here; where the next one does, NULL where it is not as usual. */
    const char *(*read)(const void *format, const char *row, void *numbers);
    const void *format;
    /* Called for the rows in their order: false, perhaps with the error set, ends it in front of
     * these. */
    bool (*take)(void *to, const void *numbers, size_t rows, err *e);
    void *to;
} rows_read;

/* Uses `threads` where there is so much text that starting them pays, and reads nothing otherwise.
 * Gives where the first row begins that was not taken. An error is one of taking. */
const char *rows_read_ahead(const rows_read *all, size_t threads, err *e);

#endif
