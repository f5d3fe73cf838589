/* The weights of a run as pictures, a heat map a head: in SVG, and in characters. */
#ifndef SELFATTN_RENDER_WEIGHTS_PICTURE_H
#define SELFATTN_RENDER_WEIGHTS_PICTURE_H

#include "render/renderer.h"

/* The trace needs its map of the weights, in SVG that of the masked scores too where keys are
 * hidden, and no steps. */
bool weights_svg(const trace *t, const render_options *how, text *out, err *e);
bool weights_terminal(const trace *t, const render_options *how, text *out, err *e);

#endif
