/* A trace as Markdown with the tables and the mathematics that GitHub knows (GitHub Flavored
 * Markdown; math in fenced blocks, which keeps Markdown out of it). */
#ifndef SELFATTN_RENDER_MARKDOWN_H
#define SELFATTN_RENDER_MARKDOWN_H

#include "render/renderer.h"

bool markdown_render(const trace *t, const render_options *how, sink *to, err *e);

#endif
