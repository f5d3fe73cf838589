/* A worked line: what is computed, in letters, with this run's numbers, and what comes out:
 * scores[1,2] = q[1]·k[2] = 1·4 + 0·4 + 2·0 = 4. */
#ifndef SELFATTN_RENDER_LINE_TEXT_H
#define SELFATTN_RENDER_LINE_TEXT_H

#include "render/renderer.h"

void line_text_add(text *out, const trace_item *item, const render_options *how);

#endif
