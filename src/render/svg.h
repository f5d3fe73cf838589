/* What pictures of cells have in common, as SVG: how they begin, and how a cell is filled. */
#ifndef SELFATTN_RENDER_SVG_H
#define SELFATTN_RENDER_SVG_H

#include "render/heat_map.h"

/* All in pixels. */
enum { SVG_MARGIN = 16, SVG_FONT = 13, SVG_TITLE_HEIGHT = 34, SVG_TITLE_LETTER = 9 };

/* A white picture with its title, of whatever marks. */
void svg_begin(text *out, const char *title, size_t width, size_t height);
/* The fill of an element that is being written. */
void svg_add_fill(text *out, heat_color color);

/* A heat map whose cells are up to 24 pixels wide, with its scale below. */
void heat_map_add_svg(text *out, const heat_map *map, const char *title);

#endif
