/* A trace as a LaTeX document that compiles as it is, with amsmath and booktabs only. */
#ifndef SELFATTN_RENDER_LATEX_H
#define SELFATTN_RENDER_LATEX_H

#include "render/renderer.h"

bool latex_render(const trace *t, const render_options *how, sink *to, err *e);

#endif
