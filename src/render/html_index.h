/* The page that leads to the pages of several documents: NAME.html, NAME.json and, where it has a
 * picture, NAME.svg, all next to it. It looks like them, and nothing in it leads anywhere else. */
#ifndef SELFATTN_RENDER_HTML_INDEX_H
#define SELFATTN_RENDER_HTML_INDEX_H

#include "base/text.h"

typedef struct html_index_row {
    const char *name, *title, *notes; /* the name is letters, digits and - */
    bool has_picture;
} html_index_row;

void html_add_index(text *out, const html_index_row *row, size_t count);

#endif
