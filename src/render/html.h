/* A page, as what its parts share: each of them has a file of its own. */
#ifndef SELFATTN_RENDER_HTML_H
#define SELFATTN_RENDER_HTML_H

#include "render/asked.h"
#include "render/renderer.h"

/* A matrix up to this size is shown whole; of a larger one there is a map of so many squares a
 * side, and the row in focus. */
enum { HTML_MOST = 64 };
/* Cells of a table that the script makes, at most. */
enum { HTML_MOST_MADE = 4096 };

typedef struct html_page {
    text *out;
    const trace_room *room; /* the room that is being written */
    const trace *whole;     /* its house */
    const render_options *how;
    asked *asked;  /* by `blank`; NULL: nothing */
    bool is_blank; /* what is being written is to be filled in */
    bool is_alive; /* its numbers can be changed */
} html_page;

/* Style and script, whose sources are the files in render/page; src/text/embed.sh puts them into
 * the program. */
extern const char PAGE_STYLE[], PAGE_SCRIPT[];

/* The room that is written from now on. */
void html_enter(html_page *p, size_t room);
/* What a step is called in addresses: "layer.0.attention.scores". */
void html_add_step_id(const html_page *p, step_id step);
/* Whether the room at `index` is the first one of its floor. */
bool html_begins_floor(const html_page *p, size_t index);

/* All of a step, but for what an exam leaves out of it. */
void html_add_items(const html_page *p, const trace_step *step);

#endif
