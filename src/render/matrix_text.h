/* A matrix of a trace: its name and shape, labels above and at the left, an arrow at the row in
 * focus. */
#ifndef SELFATTN_RENDER_MATRIX_TEXT_H
#define SELFATTN_RENDER_MATRIX_TEXT_H

#include "render/renderer.h"

void matrix_text_add(text *out, const trace_item *item, const render_options *how);

#endif
