/* What people, spreadsheets and other programs write in place of what is read here, and the remedy
 * that a message gives for it, so that nothing is lost in silence. A new one is a row in
 * slips.c. */
#ifndef SELFATTN_IO_SLIPS_H
#define SELFATTN_IO_SLIPS_H

#include "base/err.h"

struct csv_reader;

typedef enum slip_place {
    SLIP_DECIMAL_COMMA,
    SLIP_THOUSANDS,
    SLIP_NUMBER,       /* would not be read with ASCII characters either: 0x10 */
    SLIP_CHARACTER,    /* one character of a number */
    SLIP_MISSING,      /* a cell without a number, as R, pandas and spreadsheets write it */
    SLIP_JSON_VALUE,   /* where a value or a key should stand */
    SLIP_JSON_TEXT,    /* the same, where the value may be a text */
    SLIP_JSON_BETWEEN, /* anywhere between two values */
    /* The first bytes of a format that is not read. No text that is read begins so; yet another
     * format that is read may: safetensors begins with a number. */
    SLIP_FORMAT
} slip_place;

typedef struct slip_spot {
    const char *begin, *at, *end; /* of the text, and where in it the slip stands */
} slip_spot;

typedef struct slip {
    slip_place where;
    const char *seen;
    size_t length;                     /* of what is seen, which may hold NULs */
    bool (*looks)(const slip_spot *s); /* NULL, or what is seen has this shape instead */
    const char *meant, *remedy;        /* of a format: what it is, and what makes of it one that is
                                          read */
} slip;

/* The first row that fits the text at `at`, or NULL. A cell, without the spaces around it, must be
 * all of what a row has seen; elsewhere more may follow. */
const slip *slip_find(slip_place where, const char *begin, const char *at, const char *end);
/* The remedy of that row, or NULL. */
const char *slip_remedy(slip_place where, const char *begin, const char *at, const char *end);

/* The remedy for a text that is a number as others write it, but not as it is read here: "0,5",
 * "1,234.5", "−1" with U+2212, "１２" of full width, "0x10", "1d5", a no-break space next to a
 * number. NULL where it is none. */
const char *spoiled_number_remedy(const char *from, const char *end);

/* The character that splits a text into nothing but numbers, where the delimiter does not; 0 where
 * there is none. Numbers may have decimal commas where no comma splits them. */
char other_delimiter(const char *from, const char *end, char delimiter, bool *decimal_commas);
/* The same for the line that begins at `line` in what is read. It may begin with a label: then the
 * lines next to it must be split by the same character, since a label may hold any. */
char other_delimiter_of_line(const struct csv_reader *r, const char *line, bool *decimal_commas);
/* Whether a character other than a comma splits one of the first rows so: then these bytes are read
 * as CSV, whose error names it. */
bool other_delimiter_is_likely(const char *bytes, size_t length);

/* ---- text that is not in UTF-8, as all formats of text must be ---- */

/* Refuses UTF-16, which shows in its first bytes: a mark, or NULs next to ASCII characters. `at`:
 * where the bytes begin. */
bool encoding_check(const char *bytes, size_t length, place at, err *e);

/* Adds the remedy to the error of a byte that is not UTF-8. Returns false. */
bool encoding_remedy(err *e);

#endif
