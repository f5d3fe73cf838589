/* The renderers: a trace as text, Markdown, LaTeX, JSON or a page; a file and a row each. */
#ifndef SELFATTN_RENDER_RENDERER_H
#define SELFATTN_RENDER_RENDERER_H

#include "base/named.h"
#include "io/sink.h"
#include "trace/trace.h"

typedef struct render_options {
    int width;    /* columns */
    int digits;   /* decimals, −1 = at most 4 */
    bool is_full; /* no row or column is left out */
    bool color;   /* ANSI bold for headings, where the renderer knows any */
    /* Of a page: words that mean steps whose cells are left empty, to be filled in; none: those of
     * the document's exercise. */
    const text_list *blank;
    bool is_exam; /* the page never has anything that is made of them */
    /* "FILE" or "FILE:LINE" that a trace among several is of; NULL: it is alone. */
    const char *source;
    const text_list *sum_keys; /* of a picture: words that mean keys, as in heat_map.h */
} render_options;

/* Of a batch, whose traces are made for those that take them all. */
enum { MOST_ENTRIES = 64 };

/* Spills on the way, so that a trace of any size needs little memory. */
typedef bool render_trace(const trace *t, const render_options *how, sink *to, err *e);

typedef struct renderer {
    named named;
    const char *endings; /* ".md .markdown" */
    render_trace *render;
    bool is_whole_file; /* two traces one after the other are not file of this format */
    bool takes_blanks;  /* knows render_options.blank */
    /* Whether it shows all entries of the trace's batch; NULL: the one in focus alone. */
    bool (*takes_entries)(const trace *t);
    size_t most_bytes; /* larger ones are of no use without --force; 0: any size is */
} renderer;

/* What a trace's heading says, safe for a terminal: "name: title", or the one of them that the
 * document has; what is said otherwise of one that has neither, or NULL. The caller frees it. */
text render_title(const trace *t, const char *otherwise);
#define RENDER_UNTITLED "attention"

/* Each in a file of its own. */
render_trace text_render, markdown_render, markdown_render_pandoc, notebook_render, latex_render,
    json_render, html_render;

/* The weights of a run as pictures, a heat map a head: in SVG, and in characters. The trace needs
 * its map of the weights, in SVG that of the masked scores too where keys are hidden, and no
 * steps. */
bool weights_svg(const trace *t, const render_options *how, text *out, err *e);
bool weights_terminal(const trace *t, const render_options *how, text *out, err *e);

/* Of a trace as JSON: it counts the changes of its shape. */
enum { JSON_TRACE_VERSION = 2 };

/* "at": {…}: where the numbers of an operand are that a map of the room takes. */
void json_add_address(text *out, const trace_room *room, const trace_map *made,
                      const trace_origin *from);

/* Whether the numbers of all entries of a batch have room on one page. */
bool html_takes_entries(const trace *t);

/* The page that leads to the pages of several documents: NAME.html, NAME.json and, where it has a
 * picture, NAME.svg, all next to it. It looks like them, and nothing in it leads anywhere else. */
typedef struct html_index_row {
    const char *name, *title, *notes; /* the name is letters, digits and - */
    bool has_picture;
} html_index_row;

void html_add_index(text *out, const html_index_row *row, size_t count);

extern const named_table RENDERERS; /* rows of `renderer`, the default first */
extern const ending_table RENDERER_ENDINGS;

/* The one that the file's ending names, else the default. */
const renderer *renderer_by_ending(const char *file);

#endif
