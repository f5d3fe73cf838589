/* A trace as one HTML page that asks for nothing else: all of it is readable without its script,
 * which adds that each number shows where it comes from. The sources of style and script are in
 * render/page; the page's Content-Security-Policy names them by their hashes and forbids the
 * rest. */
#ifndef SELFATTN_RENDER_HTML_H
#define SELFATTN_RENDER_HTML_H

#include "render/renderer.h"

bool html_render(const trace *t, const render_options *how, sink *to, err *e);
/* Whether the numbers of all entries of a batch have room on one page. */
bool html_takes_entries(const trace *t);

#endif
