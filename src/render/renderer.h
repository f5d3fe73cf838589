/* The renderers: a trace as text today; others are a file and a row each. */
#ifndef SELFATTN_RENDER_RENDERER_H
#define SELFATTN_RENDER_RENDERER_H

#include "base/named.h"
#include "base/text.h"
#include "trace/trace.h"

typedef struct render_options {
    int width;    /* columns */
    int digits;   /* decimals, −1 = at most 4 */
    bool is_full; /* no row or column is left out */
    bool color;   /* ANSI bold for headings, where the renderer knows any */
} render_options;

typedef struct renderer {
    named named;
    bool (*render)(const trace *t, const render_options *how, text *out, err *e);
} renderer;

extern const named_table RENDERERS; /* rows of `renderer`, the default first */

#endif
