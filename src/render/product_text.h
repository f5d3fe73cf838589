/* A row times a matrix is a row, side by side as seed 001 draws it, the row and the result at
 * the matrix's middle. */
#ifndef SELFATTN_RENDER_PRODUCT_TEXT_H
#define SELFATTN_RENDER_PRODUCT_TEXT_H

#include "render/renderer.h"

void product_text_add(text *out, const trace_item *item, const render_options *how);

#endif
