/* Lines that another delimiter would split into numbers: what a file is that was saved with ; for
 * instance, as spreadsheets do where numbers have a comma for a point. */
#ifndef SELFATTN_IO_OTHER_DELIMITER_H
#define SELFATTN_IO_OTHER_DELIMITER_H

#include "io/csv_record.h"

/* The character that splits a text into nothing but numbers, where the delimiter does not; 0 where
 * there is none. Numbers may have decimal commas where no comma splits them. */
char other_delimiter(const char *from, const char *end, char delimiter, bool *decimal_commas);
/* The same of the line of what is read that begins at `line`, of which a label may come first: then
 * the lines beside it have to be split alike, since a label may hold any character. */
char other_delimiter_of_line(const csv_reader *r, const char *line, bool *decimal_commas);
/* Whether one that is no comma splits one of the first rows so: then reading them as CSV says which
 * it is. */
bool other_delimiter_is_likely(const char *bytes, size_t length);

#endif
