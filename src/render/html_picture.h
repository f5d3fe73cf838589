/* The diagrams of a page, whose boxes lead to its steps. */
#ifndef SELFATTN_RENDER_HTML_PICTURE_H
#define SELFATTN_RENDER_HTML_PICTURE_H

#include "render/html.h"

/* The attention as one formula. */
void html_add_formula(const html_page *p);
/* The stages of a room with their shapes. */
void html_add_picture(const html_page *p);
/* The floors of layers or of a generation, with their rooms. */
void html_add_house(const html_page *p);

#endif
