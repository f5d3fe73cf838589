/* The items of a step on a page: tables, worked lines, pictures of large matrices. */
#ifndef SELFATTN_RENDER_HTML_ITEMS_H
#define SELFATTN_RENDER_HTML_ITEMS_H

#include "render/html.h"

/* Adds an item of a step, empty where an exercise asks for its numbers. */
void html_add_item(const html_page *p, const trace_item *item);
/* Adds empty tables for the numbers of a step that only worked lines would show: an exercise has no
 * such lines. */
void html_add_asked(const html_page *p, step_id step);

/* A number's colour is a class of CSS: p1 to p8 above zero, n1 to n8 below, in eighths of the
 * greatest magnitude; w1 to w8 for shares, in eighths of 1; none for 0. A number counts as it is
 * shown, since the script, which colours numbers too (page/cells.js, levelOf), may know no more.
 *
 * The greatest magnitude of a matrix, 1 of shares; and a number's eighths of it, below 0 for a
 * negative number. Public for its test. */
double html_greatest(const tensor *matrix, bool is_share, int digits);
int html_step(double value, double greatest, int digits);

#endif
