/* What people, spreadsheets and other programs write where a text has something else here, and what
 * to do about it: for messages, and so that nothing is lost in silence. */
#ifndef SELFATTN_IO_SLIPS_H
#define SELFATTN_IO_SLIPS_H

#include "io/csv_record.h"
#include "io/json_scan.h"

/* ---- formats that are not read, by their first bytes ---- */

typedef struct foreign {
    const char *begin;
    size_t length; /* of `begin`, which may hold NULs */
    const char *what, *remedy;
} foreign;

/* NULL for bytes that are of none of these. No text that is read begins as one of them; yet
 * another format that is read may: safetensors begins with a number. */
const foreign *foreign_find(const char *bytes, size_t length);

/* ---- JSON ---- */

/* What is wrong with what stands at `at`, where a value or a key should; NULL where that is not
 * known. Where no text may stand, a word is none that lacks its quotes. */
const char *json_slip_of_value(const json_text *t, const char *at, bool may_be_text);
/* The same of what may stand anywhere between two values. */
const char *json_slip_between(const json_text *t, const char *at);

/* ---- cells without a number ---- */

/* What R, pandas and spreadsheets write in a cell that has no number: NA, None, #N/A, #DIV/0!. */
bool missing_mark_is(const char *bytes, size_t length);

/* An error of a spreadsheet, as of Excel and LibreOffice, without the # that it begins with. */
bool missing_mark_is_error(const char *bytes, size_t length);

/* ---- numbers ---- */

/* What to do about a text that is a number as others write it, but not as it is read here: "0,5",
 * "1,234.5", "−1" with U+2212, "１２" of full width, "0x10", "1d5", a no-break space beside a
 * number. NULL where it is none. */
const char *spoiled_number_remedy(const char *bytes, size_t length);

/* "0,5" as many countries write it: one comma, and a number once it is a point. */
bool is_decimal_comma(const char *bytes, size_t length);

/* ---- delimiters ---- */

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
