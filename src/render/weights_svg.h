/* The weights of a run as a picture in SVG 1.1: a heat map a head, byte for byte the same for the
 * same trace.
 *
 * It has no style sheet, script or reference, so that every program that knows SVG shows the same,
 * on white. Up to 64 rows and columns a square is a number, above it stands for several. */
#ifndef SELFATTN_RENDER_WEIGHTS_SVG_H
#define SELFATTN_RENDER_WEIGHTS_SVG_H

#include "render/renderer.h"

/* The trace needs its map of the weights, that of the masked scores where keys are hidden, and no
 * steps. */
bool weights_svg(const trace *t, const render_options *how, text *out, err *e);

#endif
