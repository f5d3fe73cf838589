/* A matrix as products read it: panels of numbers of the table's own type, also where the matrix
 * has a narrower one. */
#include "base/prefetch.h"
#include "kernels/wide/panel.h"
#include "kernels/wide/turning.h"
#include "kernels/wide/widening.h"

/* ---- one type ---- */

size_t KERNEL(packed_bytes)(size_t depth, size_t columns)
{
    size_t panels = (columns + PANEL_COLUMNS - 1) / PANEL_COLUMNS;
    return panels * PANEL_COLUMNS * depth * sizeof(real);
}

/* Rows of b are far apart in memory if heads stand side by side. So a row is prefetched this many
 * rows before it is read. */
enum { PACK_AHEAD = 16 };

static void pack_columns(const tensor *b, size_t first, size_t width, real *to)
{
    ptrdiff_t column = b->stride[1];
    const real *from = row_of(b, 0) + column * (ptrdiff_t)first;
    size_t depth = b->size[0], j = 0;
    for (; b->stride[0] == 1 && j + LANES <= width; j += LANES, from += LANES * column) {
        for (size_t i = 0; i < LANES; i++)
            ask_for(from + column * (ptrdiff_t)(LANES + i), depth * sizeof(real));
        turn_wide(from, column, depth, to + j, PANEL_COLUMNS);
    }
    for (; b->stride[0] == 1 && j + TURNED <= width; j += TURNED, from += TURNED * column) {
        for (size_t i = 0; i < TURNED; i++)
            ask_for(from + column * (ptrdiff_t)(PACK_AHEAD + i), depth * sizeof(real));
        turn_columns(from, column, depth, to + j, PANEL_COLUMNS);
    }
    for (; j < width; j++, from += column)
        turn_column(from, b->stride[0], depth, to + j, PANEL_COLUMNS);
}

/* Columns beyond the last one are zeros: computed, never stored. */
static void pack_panel(const tensor *b, size_t first, size_t width, real *to)
{
    size_t depth = b->size[0];
    if (width < PANEL_COLUMNS)
        memset(to, 0, depth * PANEL_COLUMNS * sizeof(real));
    if (b->stride[1] != 1)
        pack_columns(b, first, width, to);
    for (size_t p = 0; b->stride[1] == 1 && p < depth; p++) {
        ask_for(row_of(b, p + PACK_AHEAD) + first, width * sizeof(real));
        const real *from = row_of(b, p) + first;
        if (width < PANEL_COLUMNS)
            memcpy(to, from, width * sizeof(real));
        /* A whole row goes through registers: a call of memcpy, or a string instruction, takes too
         * long to start. */
        for (size_t v = 0; width == PANEL_COLUMNS && v < TILE_VECTORS; v++)
            wide_store(to + v * LANES, wide_load(from + v * LANES));
        to += PANEL_COLUMNS;
    }
}

/* ---- narrower types ---- */

/* Widens rows or columns, whichever are contiguous; the other stride may be any. */
static tensor widen_part(const tensor *b, size_t row, size_t rows, size_t first, size_t width,
                         real *room)
{
    bool by_columns = b->stride[0] == 1;
    size_t lines = by_columns ? width : rows, count = by_columns ? rows : width;
    ptrdiff_t along = b->stride[by_columns ? 0 : 1], apart = b->stride[by_columns ? 1 : 0];
    ptrdiff_t bytes = (ptrdiff_t)dtype_size(b->type);
    const char *from = (const char *)b->data +
                       bytes * (b->stride[0] * (ptrdiff_t)row + b->stride[1] * (ptrdiff_t)first);
    for (size_t i = 0; i < lines; i++, from += bytes * apart) {
        for (size_t j = 0; along != 1 && j < count; j++)
            widen(b->type, from + bytes * along * (ptrdiff_t)j, 1, room + i * count + j);
        if (along == 1)
            widen(b->type, from, count, room + i * count);
    }
    ptrdiff_t line = (ptrdiff_t)count;
    return (tensor){.type = REAL_TYPE,
                    .rank = 2,
                    .size = {rows, width},
                    .stride = {by_columns ? 1 : line, by_columns ? line : 1},
                    .data = room};
}

/* Rows that are widened at a time: for the widest panel they take 16 KB of the first-level cache,
 * or 32 of 48. */
enum { WIDENED_ROWS = 64 };

static void pack_narrow_panel(const tensor *b, size_t first, size_t width, real *to)
{
    real room[WIDENED_ROWS * PANEL_COLUMNS];
    for (size_t p = 0; p < b->size[0]; p += WIDENED_ROWS) {
        tensor part = widen_part(b, p, at_most(b->size[0] - p, WIDENED_ROWS), first, width, room);
        pack_panel(&part, 0, width, to + p * PANEL_COLUMNS);
    }
}

/* ---- packing ---- */

void KERNEL(pack)(const tensor *b, packed *into)
{
    real *to = into->data;
    into->depth = b->size[0];
    into->columns = b->size[1];
    into->skipped = 0;
    for (size_t j = 0; j < b->size[1]; j += PANEL_COLUMNS) {
        size_t width = at_most(b->size[1] - j, PANEL_COLUMNS);
        if (b->type == REAL_TYPE)
            pack_panel(b, j, width, to);
        else
            pack_narrow_panel(b, j, width, to);
        to += PANEL_COLUMNS * b->size[0];
    }
}

void KERNEL(pack_at)(const tensor *b, size_t row, size_t column, packed *into)
{
    for (size_t j = 0; j < b->size[1]; j++) {
        size_t panel = (column + j) / PANEL_COLUMNS, within = (column + j) % PANEL_COLUMNS;
        real *to = (real *)into->data + (panel * into->depth + row) * PANEL_COLUMNS + within;
        turn_column(row_of(b, 0) + b->stride[1] * (ptrdiff_t)j, b->stride[0], b->size[0], to,
                    PANEL_COLUMNS);
    }
    if (into->columns < column + b->size[1])
        into->columns = column + b->size[1];
}
