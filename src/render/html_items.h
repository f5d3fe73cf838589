/* The items of a step on a page: tables, worked lines, pictures of large matrices. */
#ifndef SELFATTN_RENDER_HTML_ITEMS_H
#define SELFATTN_RENDER_HTML_ITEMS_H

#include "render/html.h"

/* One item of a step, without what an exercise asks for where that is blank. */
void html_add_item(const html_page *p, const trace_item *item);
/* What a step that is to be filled in has in worked lines only, which an exercise
 * lacks. */
void html_add_asked(const html_page *p, step_id step);

/* A number's colour is a class: p1 to p8 above zero, n1 to n8 below, in eighths of the greatest
 * magnitude; w1 to w8 for shares, in eighths of 1; none for 0. Numbers count as they are shown,
 * since the script, which draws them too (page/cells.js, levelOf), may know no more of them. */
double html_greatest(const tensor *matrix, bool is_share, int digits);
/* Below 0 for a negative number. */
int html_step(double value, double greatest, int digits);

#endif
