/* CSV as lines and fields (RFC 4180), before any of it means something.
 *
 * Quoted fields hold delimiters, line ends and "" for a quote; lines end with LF or CRLF, the last
 * one perhaps with nothing; a byte order mark is skipped. A line that begins with # is a comment,
 * unless that # lies in quotes. Refused, with the place: a quote inside an unquoted field, a quote
 * that is never closed, text after a closing quote, a carriage return alone, a NUL byte, a field
 * of more than CSV_MAX_FIELD bytes.
 *
 * Fields are slices of the input and the reader owns nothing, so that a copy of it is a bookmark:
 * read ahead with the copy, then go on with the original. */
#ifndef SELFATTN_IO_CSV_RECORD_H
#define SELFATTN_IO_CSV_RECORD_H

#include "base/err.h"
#include "base/text.h"

enum { CSV_MAX_FIELD = 4096 };

typedef struct csv_reader {
    const char *file, *begin, *next, *end;
    const char *line_start; /* of the line that holds `next` */
    size_t line;
    char delimiter;
} csv_reader;

typedef enum csv_line { CSV_END, CSV_ROW, CSV_COMMENT, CSV_BLANK } csv_line;

typedef struct csv_field {
    const char *text; /* without its quotes, "" in it still doubled */
    size_t length;
    size_t line, column; /* of its first byte, which may be its quote */
    bool quoted, has_escapes;
    bool last; /* of its row */
} csv_field;

/* A delimiter that could be taken for something else (a quote, #, a digit, a line end …) is
 * refused. */
bool csv_delimiter_check(char delimiter, err *e);

void csv_open(csv_reader *r, const char *file, size_t first_line, const char *bytes, size_t length,
              char delimiter);

/* The remedy of an error that the fields' being separated by another one explains. Returns
 * false. */
bool csv_suggest_delimiter(char other, err *e);

/* What the next line is. A blank line is read past; so is a comment, whose text without its # is
 * then `comment`, with no quotes. A row is left to be read field by field. */
csv_line csv_next_line(csv_reader *r, csv_field *comment);
/* The next field of the row. */
bool csv_next_field(csv_reader *r, csv_field *f, err *e);
/* Reads past a line end, LF or CRLF, where there is one. */
bool csv_take_line_end(csv_reader *r);

/* Where the reader is, and where a field begins. */
place csv_place(const csv_reader *r);
place csv_field_place(const csv_reader *r, const csv_field *f);

/* A text without the spaces and tabs around it. */
typedef struct csv_slice {
    const char *from, *end;
} csv_slice;
csv_slice csv_trimmed(const char *from, const char *end);

/* The field's own bytes, "" undone; refused unless they are UTF-8. */
bool csv_field_text(const csv_reader *r, const csv_field *f, text *out, err *e);

/* "sep=;", as spreadsheets put it above a table; no row begins with it unless it is quoted. */
enum { SEPARATOR_LINE = 5 };
bool csv_is_separator_line(const char *line, size_t length);

/* The bytes as a field: quoted where it has to be, or where the caller wants it quoted. */
void csv_field_write(text *out, const char *bytes, size_t length, char delimiter, bool quoted);

#endif
