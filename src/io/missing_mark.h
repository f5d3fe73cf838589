/* What R, pandas and spreadsheets write in a cell that has no number: NA, None, #N/A, #DIV/0!. */
#ifndef SELFATTN_IO_MISSING_MARK_H
#define SELFATTN_IO_MISSING_MARK_H

#include <stdbool.h>
#include <stddef.h>

bool missing_mark_is(const char *text, size_t length);

/* An error of a spreadsheet, as of Excel and LibreOffice, without the # that it begins with. */
bool missing_mark_is_error(const char *text, size_t length);

#endif
