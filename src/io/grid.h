/* Pieces of a tensor that are read one by one, each with its indices, in any order: blocks of a
 * CSV, rows of a tidy table.
 *
 * Once all are there, `grid_finish` puts them in C order and refuses, naming both lines or both
 * indices, a piece that is there twice or missing. It needs memory for the pieces that came, never
 * for the sizes that their indices claim. */
#ifndef SELFATTN_IO_GRID_H
#define SELFATTN_IO_GRID_H

#include "base/err.h"

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
} grid;

bool grid_add(grid *g, const size_t index[GRID_AXES], size_t line, err *e);
/* Gives the sizes of the axes that are there, and their number. `name` is the tensor's, for
 * messages. */
bool grid_finish(grid *g, const char *file, const char *name, size_t size[GRID_AXES], int *rank,
                 err *e);
void grid_free(grid *g);

/* The letters of a tensor with these axes in front of its rows and columns: "bhqk" (see
 * `entry.axes`). */
const char *grid_letters(const bool has[GRID_AXES]);

#endif
