/* A trace as plain text for a terminal: what `--trace` prints. */
#ifndef SELFATTN_RENDER_TEXT_H
#define SELFATTN_RENDER_TEXT_H

#include "render/renderer.h"

bool text_render(const trace *t, const render_options *how, sink *to, err *e);

#endif
