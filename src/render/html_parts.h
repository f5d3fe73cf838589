/* The parts of a page, each in its own file. */
#ifndef SELFATTN_RENDER_HTML_PARTS_H
#define SELFATTN_RENDER_HTML_PARTS_H

#include "render/asked.h"
#include "render/renderer.h"

/* A matrix up to this size is shown whole; of a larger one there is a map of so many squares a
 * side, and the row in focus. */
enum { HTML_MOST = 64 };

typedef struct html_page {
    text *out;
    const trace *trace; /* the room that is being written */
    const trace *whole; /* a house with rooms, or the one attention itself */
    const render_options *how;
    asked *asked;  /* by `blank`; NULL: nothing */
    bool is_blank; /* what is being written is to be filled in */
    bool is_alive; /* its numbers can be changed */
} html_page;

/* Style and script, whose sources are the files in render/page; src/text/embed.sh puts them into
 * the program. */
extern const char PAGE_STYLE[], PAGE_SCRIPT[];

/* html.c: the room that is written from now on. */
void html_enter(html_page *p, size_t room);
/* What a step is called in addresses: "layer.0.attention.scores". */
void html_add_step_id(const html_page *p, step_id step);
/* Whether the room at `index` is the first one of its floor. */
bool html_begins_floor(const html_page *p, size_t index);

/* html_words.c: text that is shown, whatever marks are in it. */
void html_add_words(text *out, const char *words);
/* Markup with such texts and numbers in it: %s, %d and %zu. */
void html_add_format(text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* W with a small Q for Wq, d with a small k for d_k, −∞ for -inf. */
void html_add_mathematics(text *out, const char *words);
/* The same without what an option would change. */
void html_add_sentence(text *out, const char *words);
/* Of a row or a column, cut where it is long. */
void html_add_label(text *out, const trace_labels *labels, size_t index);

/* html_english.c: what the page says under this name, about these texts or numbers. */
void html_say(text *out, const char *which, const char *const *about);
void html_say_numbers(text *out, const char *which, size_t first, size_t second);
/* The same about nothing, to be shown. */
const char *html_english(const char *which);
/* All of it for the script, as a JSON object. */
void html_add_english(text *out);

/* html_items.c: one item of a step, without what an exercise asks for where that is blank. */
void html_add_item(const html_page *p, const trace_item *item);
/* html.c: all of a step, but for what an exam leaves out of it. */
void html_add_items(const html_page *p, const trace_step *step);
/* html_items.c: what a step that is to be filled in has in worked lines only, which an exercise
 * lacks. */
void html_add_asked(const html_page *p, step_id step);

/* A number's colour as a class: p1 to p8 above zero, n1 to n8 below, in eighths of the greatest
 * magnitude; w1 to w8 for shares, in eighths of 1. None for 0. */
typedef struct html_color {
    char class_name[3]; /* "p3", or empty */
} html_color;

double html_greatest(const tensor *matrix);
html_color html_color_of(double value, double greatest, bool is_share);
/* html_data.c: the maps of all rooms for the script, as JSON. */
void html_add_data(const html_page *p);
/* How much of a map is in it. */
typedef enum html_kept { KEPT_NOTHING, KEPT_FOCUS, KEPT_ALL } html_kept;
html_kept html_kept_of(const html_page *p, const trace_map *map);
/* The head of a map that the trace's focus is in: 0 where heads lie side by side. */
size_t html_focus_head(const html_page *p, const trace_map *map);

/* Whether the page shows something of it without its script. */
bool html_has_table(const html_page *p, const trace_map *map);

/* A page is alive where all numbers of a document's nodes are on it, and none is to be filled in:
 * its script computes them again after a change. */
bool html_is_alive(const html_page *p);

/* html_picture.c: the attention in one line; the pipeline of a room with its shapes, where a stage
 * leads to its step; the floors of a stack with their rooms, which lead to their steps. */
void html_add_formula(const html_page *p);
void html_add_picture(const html_page *p);
void html_add_house(const html_page *p);

#endif
