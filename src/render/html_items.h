/* The items of a step on a page: tables, worked lines, pictures of large matrices. */
#ifndef SELFATTN_RENDER_HTML_ITEMS_H
#define SELFATTN_RENDER_HTML_ITEMS_H

#include "render/html.h"

/* One item of a step, without what an exercise asks for where that is blank. */
void html_add_item(const html_page *p, const trace_item *item);
/* What a step that is to be filled in has in worked lines only, which an exercise
 * lacks. */
void html_add_asked(const html_page *p, step_id step);

/* A number's colour as a class: p1 to p8 above zero, n1 to n8 below, in eighths of the greatest
 * magnitude; w1 to w8 for shares, in eighths of 1. None for 0. */
typedef struct html_color {
    char class_name[3]; /* "p3", or empty */
} html_color;

double html_greatest(const tensor *matrix);
html_color html_color_of(double value, double greatest, bool is_share);

#endif
