/* What a page holds for its script. */
#ifndef SELFATTN_RENDER_HTML_DATA_H
#define SELFATTN_RENDER_HTML_DATA_H

#include "render/html.h"

/* The maps of all rooms for the script, as JSON. */
void html_add_data(const html_page *p);
/* How much of a map is in it. */
typedef enum html_kept { KEPT_NOTHING, KEPT_FOCUS, KEPT_ALL } html_kept;
html_kept html_kept_of(const html_page *p, const trace_map *map);
/* The head of a map that the trace's focus is in: 0 where heads lie side by side. */
size_t html_focus_head(const html_page *p, const trace_map *map);

/* Whether the page shows something of it without its script. */
bool html_has_table(const html_page *p, const trace_map *map);

/* A page is alive where all numbers of a document's nodes are on it, and none is to be filled in:
 * its script computes them again after a change. */
bool html_is_alive(const html_page *p);

#endif
