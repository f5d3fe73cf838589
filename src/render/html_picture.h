/* The pictures of a page. */
#ifndef SELFATTN_RENDER_HTML_PICTURE_H
#define SELFATTN_RENDER_HTML_PICTURE_H

#include "render/html.h"

/* The attention in one line; the pipeline of a room with its shapes, where a stage
 * leads to its step; the floors of a stack with their rooms, which lead to their steps. */
void html_add_formula(const html_page *p);
void html_add_picture(const html_page *p);
void html_add_house(const html_page *p);

#endif
