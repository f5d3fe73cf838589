/* What people, spreadsheets and other programs write where a text has something else here, and what
 * to do about it: for messages, and so that nothing is lost in silence. A new one is a row in
 * slips.c. */
#ifndef SELFATTN_IO_SLIPS_H
#define SELFATTN_IO_SLIPS_H

#include "base/err.h"

struct csv_reader;

typedef enum slip_place {
    SLIP_DECIMAL_COMMA,
    SLIP_THOUSANDS,
    SLIP_NUMBER,       /* that is none in ASCII either */
    SLIP_CHARACTER,    /* of a number */
    SLIP_MISSING,      /* a cell that R, pandas and spreadsheets write where no number is */
    SLIP_JSON_VALUE,   /* where a value or a key should stand */
    SLIP_JSON_TEXT,    /* the same, where it may be a text */
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

/* The first row of what stands there, or NULL. Cells are wholly what is seen, without the spaces
 * around them; elsewhere more may follow. */
const slip *slip_find(slip_place where, const char *begin, const char *at, const char *end);
/* The same of its remedy. */
const char *slip_remedy(slip_place where, const char *begin, const char *at, const char *end);

/* What to do about a text that is a number as others write it, but not as it is read here: "0,5",
 * "1,234.5", "−1" with U+2212, "１２" of full width, "0x10", "1d5", a no-break space next to a
 * number. NULL where it is none. */
const char *spoiled_number_remedy(const char *from, const char *end);

/* The character that splits a text into nothing but numbers, where the delimiter does not; 0 where
 * there is none. Numbers may have decimal commas where no comma splits them. */
char other_delimiter(const char *from, const char *end, char delimiter, bool *decimal_commas);
/* The same of the line of what is read that begins at `line`, of which a label may come first: then
 * the lines next to it have to be split alike, since a label may hold any character. */
char other_delimiter_of_line(const struct csv_reader *r, const char *line, bool *decimal_commas);
/* Whether one that is not a comma splits one of the first rows so: then reading them as CSV says
 * which it is. */
bool other_delimiter_is_likely(const char *bytes, size_t length);

/* ---- text that is not in UTF-8, in which all formats of text are read ---- */

/* Refuses UTF-16, which shows in its first bytes: a mark, or NULs next to characters of ASCII.
 * `at`: where the bytes begin. */
bool encoding_check(const char *bytes, size_t length, place at, err *e);

/* The second line of the error of a byte that is of no character. Returns false. */
bool encoding_remedy(err *e);

#endif
