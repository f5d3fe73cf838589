/* A trace as JSON: the same steps and items as any other page of it, as data that others can draw.
 * The manual's TRACES AS DATA documents the shape; JSON_TRACE_VERSION counts its changes. */
#ifndef SELFATTN_RENDER_JSON_H
#define SELFATTN_RENDER_JSON_H

#include "render/renderer.h"

enum { JSON_TRACE_VERSION = 2 };

bool json_render(const trace *t, const render_options *how, sink *to, err *e);

#endif
