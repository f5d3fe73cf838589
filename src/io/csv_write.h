/* Tables in text as they are written: blocks of a tensor, numbers, labels, comments. */
#ifndef SELFATTN_IO_CSV_WRITE_H
#define SELFATTN_IO_CSV_WRITE_H

#include "io/format.h"

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

/* Writes what made a result as comments, a line each. NULL: nothing. */
void csv_write_header(text *to, const text_list *header);

/* Whether an entry is labels of the first matrix: the lists "columns" and "rows", unless empty, and
 * next to both the text "corner", which stands above row labels and before column labels. */
bool csv_is_labels(const bundle *in, const entry *one);

/* Refuses, naming `what` is written ("CSV"), what no table of numbers can hold: texts, bundles,
 * lists but "columns" and "rows", tensors without elements. */
bool csv_check_result(const bundle *result, const char *what, err *e);

#endif
