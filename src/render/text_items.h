/* The items of a step as text, and what all parts of the text page share: where things begin, how
 * wide they may be, and bold. */
#ifndef SELFATTN_RENDER_TEXT_ITEMS_H
#define SELFATTN_RENDER_TEXT_ITEMS_H

#include "render/renderer.h"

enum { SENTENCE_INDENT = 2, PAGE_INDENT = 4, PAGE_NARROWEST = 40 };

size_t page_width(const render_options *how);
/* Bold and not, where the terminal knows it. */
void page_bold(text *out, const render_options *how);
void page_plain(text *out, const render_options *how);

/* A worked line: what is computed, in letters, with this run's numbers, and what comes out:
 * scores[1,2] = q[1]·k[2] = 1·4 + 0·4 + 2·0 = 4. */
void line_text_add(text *out, const trace_item *item, const render_options *how);

/* A row times a matrix is a row, side by side as seed 001 draws it, the row and the result at
 * the matrix's middle. */
void product_text_add(text *out, const trace_item *item, const render_options *how);

/* Rows that are added up, one under the other with their sum below a line: how seed 001 adds
 * weighted values. */
void stack_text_add(text *out, const trace_item *item, const render_options *how);

/* A matrix of a trace: its name and shape, labels above and at the left, an arrow at the row in
 * focus. */
void matrix_text_add(text *out, const trace_item *item, const render_options *how);

/* A table of words: columns aligned, its heading underlined, the widest column broken into lines
 * where the table is too wide. */
void table_text_add(text *out, const trace_item *item, const render_options *how);

enum { TABLE_MOST = 16 }; /* columns */

/* True for a column whose cells below the heading are all numbers: they stand to the right. */
bool table_text_is_right(const text_list *cells, size_t columns, size_t column);

#endif
