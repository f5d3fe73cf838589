/* The items of a step in plain text, as `--trace` prints them; each kind is public for its test.
 */
#ifndef SELFATTN_RENDER_TEXT_ITEMS_H
#define SELFATTN_RENDER_TEXT_ITEMS_H

#include "render/renderer.h"

/* A worked line, in letters, with the numbers, and the result: scores[1,2] = q[1]·k[2] =
 * 1·4 + 0·4 + 2·0 = 4. */
void line_text_add(text *out, const trace_item *item, const render_options *how);

/* A row times a matrix, side by side as seed 001 draws it: the row and the result stand at the
 * matrix's middle. */
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

/* A table may have so many columns: each has room for a letter at the narrowest width. */
enum { TABLE_MOST = 5 };

/* Whether a column's cells below the heading are all numbers, which are aligned to the right. */
bool table_text_is_right(const text_list *cells, size_t columns, size_t column);

#endif
