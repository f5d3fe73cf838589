/* A tensor of any rank as matrices, one after the other, each with its indices: what text tables
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
#ifndef SELFATTN_IO_BLOCKS_H
#define SELFATTN_IO_BLOCKS_H

#include "base/err.h"
#include "base/text.h"
#include "tensor/bundle.h"

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
void grid_free(grid *g);

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

void block_comment_write(text *out, const char *name, const block *b);
/* False for a comment of any other form. `line` is what follows its #. */
bool block_comment_read(const char *line, size_t length, block_comment *out);

#endif
