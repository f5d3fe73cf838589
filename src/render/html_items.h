/* The items of a step on a page: tables, worked lines, pictures of large matrices. */
#ifndef SELFATTN_RENDER_HTML_ITEMS_H
#define SELFATTN_RENDER_HTML_ITEMS_H

#include "render/html.h"

/* One item of a step, without what an exercise asks for where that is blank. */
void html_add_item(const html_page *p, const trace_item *item);
/* What a step that is to be filled in has in worked lines only, which an exercise
 * lacks. */
void html_add_asked(const html_page *p, step_id step);

#endif
