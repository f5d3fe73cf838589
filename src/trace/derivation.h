/* What a map's cells are made of, read for a cell: the operands' cells, the letters, the worked
 * line. It is said once, by map_say; steps choose which of its cells are shown. */
#ifndef SELFATTN_TRACE_DERIVATION_H
#define SELFATTN_TRACE_DERIVATION_H

#include "trace/build.h"

/* The cells that an operand is: so many from the first one on, each so far from the one before, in
 * the map's numbers. */
typedef struct operand_cells {
    const trace_room *room;
    const trace_map *map;
    size_t first, count, step;
} operand_cells;

/* False where it has no part in this cell, or one that nothing is taken from. */
bool derivation_operand(const map_cell *made, const trace_origin *from, operand_cells *of);
map_cell derivation_cell(const operand_cells *of, size_t index);
double derivation_number(const operand_cells *of, size_t index);

/* The numbers of a map that no stage holds, out of what is said of it, in float64: of the few
 * operations that such maps have. */
void derivation_fill(builder *b, trace_map *map);

/* The formula "capped[i,j] = C·tanh(scaled[i,j] / C)", with `more` after it. */
void derivation_formula(builder *b, const char *name, const char *more);
/* The formula "q[i] = x[i]·Wq + bq", of keys in another letter. */
void derivation_row_formula(builder *b, const char *name, char index);

/* "capped[1,2] = C·tanh(scaled[1,2] / C)" and its numbers: row and column in the matrix of the head
 * in focus, or of the key/value head that it shares. */
trace_item *derivation_line(builder *b, const char *name, size_t row, size_t column);
/* The same, which says that it is of this head: " in head 2". */
void derivation_line_of_head(builder *b, const char *name, size_t row, size_t column,
                             const char *in_head);
/* The formula of a row, and the line of its first number. */
void derivation_show(builder *b, const char *name, size_t row);
/* The formula of a cell, and the lines of the query in focus, a key each. */
void derivation_show_lines(builder *b, const char *name);

/* The row as a product of a row and a matrix, where it is one and nothing is added; then all
 * rows. */
void derivation_product(builder *b, const char *name, size_t row);
/* All its rows, where they are shown. */
void derivation_whole_product(builder *b, const char *name);

/* The whole matrix, its row `focus` (from 1) marked; of one a head that of the head in focus, with
 * --full all. */
void derivation_matrix(builder *b, const char *name, size_t focus);
/* The same of a matrix whose heads lie side by side, head by head. */
void derivation_matrix_by_head(builder *b, const char *name, size_t focus);

#endif
