/* What stands in a CSV where labels or comments do, and may be meant as something else: numbers as
 * others write them, a spreadsheet's line about the delimiter, and its errors, such as #N/A. */
#ifndef SELFATTN_IO_CSV_SUSPECTS_H
#define SELFATTN_IO_CSV_SUSPECTS_H

#include "io/csv_record.h"

/* Labels of a block's header, or of its rows; all zeros before the first one. */
typedef struct suspects {
    csv_field first;    /* that is a number gone wrong; without text where there is none */
    const char *remedy; /* what to do about it */
    bool has_words;     /* one is no such number */
} suspects;

void suspects_add(suspects *s, const csv_reader *r, const csv_field *label);
/* Numbers gone wrong must not be lost as labels; where others stand among them, labels they are.
 * `where` is "header" or "column". */
bool suspects_check(const suspects *s, const csv_reader *r, const char *where, err *e);

/* "sep=;", which spreadsheets put above a table, is refused. */
bool csv_check_no_separator_line(const csv_reader *r, err *e);
/* "#N/A,1" is a row that would be lost as a comment. */
bool csv_check_no_spreadsheet_error(const csv_reader *r, const csv_field *comment, err *e);

#endif
