/* Rows that are added up, one under the other with their sum below a line: how seed 001 adds
 * weighted values. */
#ifndef SELFATTN_RENDER_STACK_TEXT_H
#define SELFATTN_RENDER_STACK_TEXT_H

#include "render/renderer.h"

void stack_text_add(text *out, const trace_item *item, const render_options *how);

#endif
