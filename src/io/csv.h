/* CSV and TSV as matrices: one without a name, or named blocks, whose heads and
 * batches become one tensor.
 *
 * A first row of labels and a first column of labels are recognised by their not being numbers, and
 * become the lists "columns" and "rows" (of the first matrix; further blocks' labels are read
 * past). A label that is a number has to be quoted. The cell above a column of labels may hold
 * anything; where it is empty, the first column is labels whatever it holds, and a header may also
 * be one field short, as R writes it, or without quotes where pandas counted the columns
 *, whose numbers are not labels. Without such a header, labels that all are
 * numbers as others write them (io/slips.h) are refused. Numbers follow
 * io/number_read.h's grammar for CSV.
 *
 * A matrix alone is written as plain rows, several or those with heads or a batch as blocks with a
 * blank line between. The lists "columns" and "rows", where there are any, label the first matrix.
 * What is written reads back to the same bits; a vector or a number comes back as a matrix of one
 * row. Holes are empty cells. */
#ifndef SELFATTN_IO_CSV_H
#define SELFATTN_IO_CSV_H

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
/* Goes past blank lines and comments to the next row, where there is one; of the same matrix, past
 * no comment that begins a block. */
bool csv_find_row(csv_reader *r, bool of_same);
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

/* ---- matrices one after the other ----
 *
 * A tensor of any rank as matrices, one after the other, each with its indices: what text tables
 * can hold.
 *
 * The last two axes are a block's rows and columns; in front of them lie, where they are there,
 * batch, head, and, for `weighted` only (query × key × width), row. Which of batch and head are
 * there is said by `entry.axes`, or else by rank; this is the only place that knows. A vector or a
 * number is a block of one row.
 *
 * In CSV a block's first line is exactly "# weights batch=0 head=1 3x4"; for a query of `weighted`,
 * "# weighted head=1 row=2 3x4". Indices count from 0.
 *
 * Pieces of a tensor are read one by one, each with its indices, in any order: blocks of a CSV,
 * rows of a tidy table. Once all are there, `grid_finish` puts them in C order and refuses, naming
 * both lines or both indices, a piece that is there twice or missing. It needs memory for the
 * pieces that came, never for the sizes that their indices claim. */

typedef enum grid_axis {
    GRID_BATCH,
    GRID_HEAD,
    GRID_ROW,
    GRID_COL,
    GRID_ITEM,
    GRID_AXES
} grid_axis;

extern const char *const GRID_AXIS_NAMES[GRID_AXES];

typedef struct grid_piece {
    size_t index[GRID_AXES]; /* 0 on axes that are not there */
    size_t order;            /* this was the how manyeth piece to come, from 0 */
    size_t line;
} grid_piece;

typedef struct grid {
    bool has[GRID_AXES];
    grid_piece *piece;
    size_t count, capacity;
    bool was_in_order; /* the pieces came as they are, once it is finished */
} grid;

bool grid_add(grid *g, const size_t index[GRID_AXES], size_t line, err *e);
/* Gives the sizes of the axes that are there, and their number. `name` is the tensor's, for
 * messages. */
bool grid_finish(grid *g, const char *file, const char *name, size_t size[GRID_AXES], int *rank,
                 err *e);

/* The letters of a tensor with these axes in front of its rows and columns: "bhqk" (see
 * `entry.axes`). */
const char *grid_letters(const grid *g);

typedef struct block {
    bool has[GRID_AXES]; /* of batch, head and row; never of the others */
    size_t index[GRID_AXES];
    tensor matrix; /* of rank 2, borrowed from the entry */
} block;

/* The first block of an entry that is a tensor with elements, and the one after; false after the
 * last. */
block block_first(const entry *of);
bool block_next(const entry *of, block *b);

typedef struct block_comment {
    const char *name; /* borrowed from the line */
    size_t name_length;
    bool has[GRID_AXES];
    size_t index[GRID_AXES];
    size_t rows, columns;
    const char *too_large; /* the first of its numbers that no size is as large as, or NULL */
    size_t too_large_length;
} block_comment;

/* False for a comment of any other form. `line` is what follows its #. */
bool block_comment_read(const char *line, size_t length, block_comment *out);

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

/* ---- what is written ---- */

/* One number of a matrix (rank 2) as text: nothing for a hole, or "" where spaces separate. */
void csv_number_write(text *out, const tensor *matrix, size_t row, size_t column,
                      const write_options *how);

/* A cell of text: a label or a name. With how->csv_safe one that a spreadsheet would take for a
 * formula gets an apostrophe in front of it, which is a part of the text from then on. */
void csv_text_write(text *out, const char *cell, char delimiter, bool quoted,
                    const write_options *how);
/* Whether a spreadsheet would: it begins with = + - or @, and is not a number. */
bool csv_is_formula(const char *cell);

/* What made a result, as comments: a line each. NULL: nothing. */
void csv_write_header(text *to, const text_list *header);

/* Labels of the first matrix: the lists "columns" and "rows", where they have any, and next to both
 * the text "corner", which stands above row labels and before column labels. */
bool csv_is_labels(const bundle *in, const entry *one);

/* Refuses, naming `what` is written ("CSV"), what no table of numbers can hold: texts, bundles,
 * lists but "columns" and "rows", tensors without elements. */
bool csv_check_result(const bundle *result, const char *what, err *e);

/* A row of numbers and holes that could be taken for a header that counts its columns. */
bool csv_row_counts(const char *row, size_t length, char delimiter);

#endif
