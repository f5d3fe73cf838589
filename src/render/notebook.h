/* A trace as a Jupyter notebook (nbformat 4.5) of Markdown, a cell a step: what Jupyter and Colab
 * show with its mathematics. Laid out as Jupyter saves it. */
#ifndef SELFATTN_RENDER_NOTEBOOK_H
#define SELFATTN_RENDER_NOTEBOOK_H

#include "render/renderer.h"

bool notebook_render(const trace *t, const render_options *how, sink *to, err *e);

#endif
