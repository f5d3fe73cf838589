/* The weights of a run as a picture of characters, a heat map a head: cells with their numbers
 * where all of them fit in the width, else a character or less a cell. */
#ifndef SELFATTN_RENDER_WEIGHTS_TERMINAL_H
#define SELFATTN_RENDER_WEIGHTS_TERMINAL_H

#include "render/renderer.h"

/* The trace needs its map of the weights, and no steps. */
bool weights_terminal(const trace *t, const render_options *how, text *out, err *e);

#endif
