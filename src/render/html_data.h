/* The numbers that a page holds for its script, and which of them it holds. */
#ifndef SELFATTN_RENDER_HTML_DATA_H
#define SELFATTN_RENDER_HTML_DATA_H

#include "render/html.h"

/* Adds the maps of all rooms as JSON. */
void html_add_data(const html_page *p);
/* How much of a map these data have. */
typedef enum html_kept { KEPT_NOTHING, KEPT_FOCUS, KEPT_ALL } html_kept;
html_kept html_kept_of(const html_page *p, const trace_map *map);
/* The index along a map's heads that the trace's focus has: 0 where the heads lie side by side. */
size_t html_focus_head(const html_page *p, const trace_map *map);

/* Whether the page has a table of the map in its own text, not only one that the script makes. */
bool html_has_table(const html_page *p, const trace_map *map);

/* Whether the reader can change numbers: the page must have all numbers of the document's nodes,
 * and none to be filled in. The script computes all of them again after a change. */
bool html_is_alive(const html_page *p);
/* Whether all numbers that readers could look at are too many for one page. */
bool html_is_lean(const html_page *p);

/* Adds whole numbers, of so many digits each to base HTML_BASE: ASCII that a string of JSON and a
 * script take as it is. */
enum { HTML_BASE = 92 };
void html_add_whole(text *out, const uint64_t *whole, size_t count, size_t places);

#endif
