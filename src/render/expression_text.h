/* The numbers of a worked line as an expression: 1·4 + 0·4 + 2·0, exp(2 − 4), max(2, 4, 4). */
#ifndef SELFATTN_RENDER_EXPRESSION_TEXT_H
#define SELFATTN_RENDER_EXPRESSION_TEXT_H

#include "render/renderer.h"

/* Stands before a space at which a line may be broken; nothing that is shown holds it. */
enum { EXPRESSION_BREAK = '\n' };

/* The operands joined by the operation; nothing where they are too many to spell out (a
 * variance). Of many terms the first and the last are shown, unless all are asked for: then
 * *left_out, else 0, says how many there are. */
void expression_add(text *out, const trace_item *item, const render_options *how, size_t *left_out);

/* The same with what is inside worked out, "1·0.9785 + …"; nothing where nothing is inside. */
void expression_add_inner(text *out, const trace_item *item, const render_options *how);
/* A number, or a vector as [2, 8, 0]. */
void expression_add_value(text *out, const tensor *value, const render_options *how);

/* True where the operands don't make the result but become it: an arrow stands between them. */
bool expression_is_change(operation op);

#endif
