/* All heads of all layers at a look: a small picture of each, which the script draws
 * (page/overview.js). A page has it where it says what the weights come to, the step "statistics",
 * and asks for nothing. */
#ifndef SELFATTN_RENDER_HTML_OVERVIEW_H
#define SELFATTN_RENDER_HTML_OVERVIEW_H

#include "render/html.h"

/* Whether the map, of the room that is written, has a picture for each of its heads there. */
bool html_is_in_overview(const html_page *p, const trace_map *map);
/* Adds the place of the pictures. */
void html_add_overview(const html_page *p);
/* Adds members of a map whose numbers the page has not: what its pictures are drawn from. */
void html_add_overview_of(const html_page *p, const trace_map *map);

#endif
