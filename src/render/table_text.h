/* A table of words: columns aligned, its heading underlined, the widest column broken into lines
 * where the table is too wide. */
#ifndef SELFATTN_RENDER_TABLE_TEXT_H
#define SELFATTN_RENDER_TABLE_TEXT_H

#include "render/renderer.h"

void table_text_add(text *out, const trace_item *item, const render_options *how);

#endif
