/* A table of words: columns aligned, its heading underlined, the widest column broken into lines
 * where the table is too wide. */
#ifndef SELFATTN_RENDER_TABLE_TEXT_H
#define SELFATTN_RENDER_TABLE_TEXT_H

#include "render/renderer.h"

enum { TABLE_MOST = 16 }; /* columns */

/* True for a column whose cells below the heading are all numbers: they stand to the right. */
bool table_text_is_right(const text_list *cells, size_t columns, size_t column);

void table_text_add(text *out, const trace_item *item, const render_options *how);

#endif
