/* A trace as plain text for a terminal, what `--trace` prints: the items of a step. */
#ifndef SELFATTN_RENDER_TEXT_ITEMS_H
#define SELFATTN_RENDER_TEXT_ITEMS_H

#include "render/renderer.h"

/* A worked line: what is computed, in letters, with this run's numbers, and what comes out:
 * scores[1,2] = q[1]·k[2] = 1·4 + 0·4 + 2·0 = 4. */
void line_text_add(text *out, const trace_item *item, const render_options *how);

/* A row times a matrix is a row, side by side as seed 001 draws it, the row and the result at
 * the matrix's middle. */
void product_text_add(text *out, const trace_item *item, const render_options *how);

/* The rows of a matrix one under the other; those of a stack with their sum below a line, as seed
 * 001 adds weighted values. */
void rows_text_add(text *out, const trace_item *item, const render_options *how);

/* A matrix of a trace: its name and shape, labels above and at the left, an arrow at the row in
 * focus. */
void matrix_text_add(text *out, const trace_item *item, const render_options *how);

/* A table of words: columns aligned, its heading underlined, the widest column broken into lines
 * where the table is too wide. */
void table_text_add(text *out, const trace_item *item, const render_options *how);

/* Columns: each of so many has room for a letter on the narrowest page. */
enum { TABLE_MOST = 5 };

/* True for a column whose cells below the heading are all numbers: they stand to the right. */
bool table_text_is_right(const text_list *cells, size_t columns, size_t column);

#endif
