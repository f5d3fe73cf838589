/* Tables in text as they are read: lines, then fields, then cells as numbers. */
#ifndef SELFATTN_IO_CSV_CELLS_H
#define SELFATTN_IO_CSV_CELLS_H

#include "io/csv_write.h"
#include "io/format.h"

/* ---- lines and fields ----
 *
 * CSV as lines and fields (RFC 4180), before any of it means something.
 *
 * Quoted fields hold delimiters, line ends and "" for a quote; lines end with LF or CRLF, the last
 * one perhaps with nothing; a byte order mark is skipped. A line that begins with # is a comment,
 * unless that # lies in quotes. Refused, with the place: a quote inside an unquoted field, a quote
 * that is never closed, text after a closing quote, a carriage return alone, a NUL byte, a field
 * of more than CSV_MAX_FIELD bytes.
 *
 * Fields are slices of the input and the reader owns nothing, so that a copy of it is a bookmark:
 * read ahead with the copy, then go on with the original. */

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
    place at; /* of its first byte, which may be its quote */
    bool quoted, has_escapes;
    bool last; /* of its row */
} csv_field;

/* A delimiter that could be taken for something else (a quote, #, a digit, a line end …) is
 * refused. */
bool csv_delimiter_check(char delimiter, err *e);

void csv_open(csv_reader *r, const char *file, size_t first_line, const char *bytes, size_t length,
              char delimiter);

/* What the next line is. A blank line is read past; so is a comment, whose text without its # is
 * then `comment`, with no quotes. A row is left to be read field by field. */
csv_line csv_next_line(csv_reader *r, csv_field *comment);
/* The next field of the row. */
bool csv_next_field(csv_reader *r, csv_field *f, err *e);

/* Where the reader is. */
place csv_place(const csv_reader *r);

/* A text without the spaces and tabs around it. */
typedef struct csv_slice {
    const char *from, *end;
} csv_slice;
csv_slice csv_trimmed(const char *from, const char *end);

/* The field's own bytes, "" undone; refused unless they are UTF-8. */
bool csv_field_text(const csv_field *f, text *out, err *e);

/* "sep=;", as spreadsheets put it above a table; no row begins with it unless it is quoted. */
enum { SEPARATOR_LINE = 5 };
bool csv_is_separator_line(const char *line, size_t length);

/* The bytes as a field: quoted where it has to be, or where the caller wants it quoted. */
void csv_field_write(text *out, const char *bytes, size_t length, char delimiter, bool quoted);

/* ---- cells as numbers ----
 *
 * Cells of a CSV as numbers: what a cell looks like, by which header rows and labels are found, and
 * what it is read as.
 *
 * Spaces and tabs around a number don't count. An empty cell is a hole in an expected matrix, and
 * refused elsewhere. */

typedef enum cell_look { CELL_NUMBER, CELL_QUOTED_NUMBER, CELL_EMPTY, CELL_LABEL } cell_look;

cell_look cell_look_of(const csv_field *f, key_kind kind);

/* True for a text that would be numbers with another delimiter ("1;2") or with a decimal point for
 * a comma. */
bool cell_is_misread(const char *cell, size_t length, char delimiter);
/* True for a label that is taken for a number, or for misread ones, unless it is quoted. */
bool label_looks_like_number(const char *label, size_t length, char delimiter);
/* What to do about a label that is a number as others write it (io/slips.h), or NULL. One
 * in quotes is meant as a label, unless the quotes had to be: "0,5" where commas separate. */
const char *label_spoiled_remedy(const csv_field *f, char delimiter);

/* Numbers of one matrix in the making, in the type that its kind asks for. */
typedef struct cells {
    key_kind kind;
    dtype type;
    bool allow_nonfinite;
    void *data;
    size_t count, capacity;
} cells;

bool cells_add(cells *to, const csv_reader *r, const csv_field *f, err *e);
/* Makes room for `more` numbers. */
bool cells_reserve(cells *to, size_t more, err *e);
/* Adds the next fields of a row, as long as they are numbers of the usual form and there is room;
 * `most` of them at most. Returns how many; `f` becomes the last one where that ends the row, else
 * it stays. */
size_t cells_add_usual(cells *to, csv_reader *r, size_t most, csv_field *f);
/* With several threads (io/in_order.h): adds the next rows of `columns` numbers each, `most` of
 * them at most, and goes after them: *rows of them, perhaps none. */
bool cells_read_ahead(cells *to, csv_reader *r, size_t columns, size_t most, size_t threads,
                      size_t *rows, err *e);

/* One name's numbers, in pieces of one size that come in any order: blocks of a CSV, numbers of a
 * tidy table. */
typedef struct csv_matrix {
    cells cells;
    size_t rows, columns; /* of each block */
    grid grid;
} csv_matrix;

/* A file half read. one[i] becomes the tensor of out->entry[i]. */
typedef struct csv_matrices {
    const read_options *how;
    bundle *out;
    csv_matrix *one;
    size_t count, capacity;
} csv_matrices;

/* The matrix of this name, without a piece where it is new. Refused where the keys don't know it,
 * or no matrix is meant. */
bool csv_matrices_find(csv_matrices *all, const char *name, size_t length, const place *at,
                       size_t *found, err *e);
bool csv_matrices_finish(csv_matrices *all, err *e);
void csv_matrices_free(csv_matrices *all);

/* Adds to the error just made what a file whose line is separated by something else needs. Returns
 * false. */
bool cells_remedy(const csv_reader *r, const csv_field *f, err *e);
/* The same of how a number that is missing is written, where this cell has none. */
bool cells_remedy_missing(const cells *to, const csv_field *f, err *e);

#endif
