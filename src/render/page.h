/* What all parts of the text page share: where things begin, how wide they may be, and bold. */
#ifndef SELFATTN_RENDER_PAGE_H
#define SELFATTN_RENDER_PAGE_H

#include "render/renderer.h"
#include "render/selection.h"

enum { SENTENCE_INDENT = 2, PAGE_INDENT = 4, PAGE_NARROWEST = 40 };

size_t page_width(const render_options *how);
/* What is left after PAGE_INDENT. */
size_t page_budget(const render_options *how);

void page_indent(text *out);
/* Bold and not, where the terminal knows it. */
void page_bold(text *out, const render_options *how);
void page_plain(text *out, const render_options *how);

/* Says below a matrix what of it is not shown, and how to see it. */
void page_add_left_out(text *out, const selection *rows, const selection *columns,
                       const render_options *how);

#endif
