/* What the parts of a page share. Each part is a file html_*.c: its data, its words, its pictures,
 * the items of its steps; html.c puts them together. */
#ifndef SELFATTN_RENDER_HTML_H
#define SELFATTN_RENDER_HTML_H

#include "render/asked.h"
#include "render/renderer.h"

/* A matrix of up to so many rows and columns is shown whole. Of a larger one the page shows a map
 * of so many squares a side, and the row in focus. */
enum { HTML_MOST = 64 };
/* So many cells a table may have that the script makes. */
enum { HTML_MOST_MADE = 4096 };

/* A page that is being written. All is borrowed. */
typedef struct html_page {
    text *out;
    const trace_room *room; /* the room that is being written, of: */
    const trace *whole;
    const render_options *how;
    asked *asked;  /* what `blank` asks for; NULL: nothing */
    bool is_blank; /* what is written now is left empty, to be filled in */
    bool is_alive; /* the reader can change its numbers, of an exercise those that are solved */
    bool is_cut;   /* it is another page's, with another number of heads */
    bool is_lean;  /* of matrices that no step shows it has no numbers: there would be too many */
} html_page;

/* Style and script: the files of render/page, which src/text/embed.sh puts into the program. */
extern const char PAGE_STYLE[], PAGE_SCRIPT[];
/* What holds several pages: render/binder. */
extern const char BINDER_STYLE[], BINDER_SCRIPT[];

/* Makes this room the one that is written from now on. */
void html_enter(html_page *p, size_t room);
/* Adds what addresses call a step of the room: "layer.0.attention.scores". */
void html_add_step_id(const html_page *p, step_id step);
/* Whether the room at `index` is the first one of its floor. */
bool html_begins_floor(const html_page *p, size_t index);

/* Adds all items of a step, but for those that an exam leaves out. */
void html_add_items(const html_page *p, const trace_step *step);

#endif
