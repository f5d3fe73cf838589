/* A trace as Markdown with tables and mathematics, in a dialect: GitHub's, with mathematics in
 * fences, which keep Markdown out of it, or Pandoc's, with $…$, which Jupyter's has too. */
#ifndef SELFATTN_RENDER_MARKDOWN_H
#define SELFATTN_RENDER_MARKDOWN_H

#include "render/markup.h"

bool markdown_render(const trace *t, const render_options *how, sink *to, err *e);
bool markdown_render_pandoc(const trace *t, const render_options *how, sink *to, err *e);

/* The marks of a cell of a notebook. */
markup markdown_of_jupyter(void);

#endif
