/* The renderers: a trace as text, Markdown, LaTeX, JSON or a page; a file and a row each. */
#ifndef SELFATTN_RENDER_RENDERER_H
#define SELFATTN_RENDER_RENDERER_H

#include "base/named.h"
#include "io/sink.h"
#include "trace/trace.h"

/* Several traces in one file: all on the screen at once, or one after the other. */
typedef enum render_binding { BOUND_NOT, BOUND_BESIDE, BOUND_CHAIN } render_binding;

typedef struct render_options {
    int width;    /* columns */
    int digits;   /* decimals, −1 = at most 4 */
    bool is_full; /* no row or column is left out */
    bool color;   /* headings in ANSI bold, and pictures in colour */
    /* Words for the steps whose cells a page leaves empty, to be filled in. None: the steps of the
     * document's exercise. */
    const text_list *blank;
    bool is_exam; /* the page never has a number that is made of the empty ones */
    /* "FILE" or "FILE:LINE", where the trace is one of several; NULL: it is alone. */
    const char *source;
    render_binding binding;    /* the file has others, too */
    bool is_first;             /* of them */
    const text_list *sum_keys; /* words for the keys that a picture adds up (heat_map.h) */
    const text_list *drawn; /* of gradients, as --emit names them; none: a picture is of weights */
} render_options;

/* So many entries of a batch a renderer that takes them all may be given. */
enum { MOST_ENTRIES = 64 };

/* Writes a trace. It spills on the way, so that a trace of any size takes little memory. */
typedef bool render_trace(const trace *t, const render_options *how, sink *to, err *e);

/* Writes what is after the last of several traces in one file. */
typedef bool render_end(sink *to, err *e);

/* More of them are too narrow on a screen to be read next to each other. */
enum { MOST_BESIDE = 4 };

typedef struct renderer {
    named named;
    const char *endings; /* ".md .markdown" */
    render_trace *render;
    bool is_whole_file; /* a file holds one trace; two, one after the other, are not this format */
    render_end *bind; /* but several can be bound as one file, and this ends it; NULL: they can't */
    bool takes_blanks; /* knows render_options.blank */
    /* Whether it shows all entries of this trace's batch. NULL: it shows the one in focus. */
    bool (*takes_entries)(const trace *t);
    /* Whether it shows this trace's document with other numbers of heads, too. NULL: it doesn't. */
    bool (*takes_cuts)(const trace *t);
    size_t most_bytes; /* larger files are refused without --force; 0: no size is */
} renderer;

/* The trace's heading, safe for a terminal: "name: title", or the one of the two that the document
 * has; `otherwise`, which may be NULL, where it has neither. The caller frees it. */
text render_title(const trace *t, const char *otherwise);
#define RENDER_UNTITLED "attention"

/* The rows' functions, each in a file of its own. */
render_trace text_render, markdown_render, markdown_render_pandoc, notebook_render, latex_render,
    beamer_render, json_render, html_render;
render_end html_bind;

/* The weights, or gradients, as pictures, a heat map for each head: in SVG, and in characters. The
 * trace needs no steps, only its maps of these, and for SVG that of the masked scores where keys
 * are hidden. */
bool weights_svg(const trace *t, const render_options *how, text *out, err *e);
bool weights_terminal(const trace *t, const render_options *how, text *out, err *e);

/* The version that a trace as JSON says: one more for each change of its shape. */
enum { JSON_TRACE_VERSION = 2 };

/* Adds "at": {…} to such a trace: where the numbers are that the map `made` takes from `from`. */
void json_add_address(text *out, const trace_room *room, const trace_map *made,
                      const trace_origin *from);

/* Whether one page has room for the numbers of all entries of the trace's batch. */
bool html_takes_entries(const trace *t);
bool html_takes_cuts(const trace *t);

/* The page that leads to the pages of several documents: each is NAME.html, with NAME.json and,
 * where it has a picture, NAME.svg, all in the same folder. */
typedef struct html_index_row {
    const char *name, *title, *notes; /* the name is letters, digits and - */
    bool has_picture;
} html_index_row;

void html_add_index(text *out, const html_index_row *row, size_t count);

extern const named_table RENDERERS; /* rows of `renderer`, the default first */
extern const ending_table RENDERER_ENDINGS;

/* The renderer of the file's ending, or the default. */
const renderer *renderer_by_ending(const char *file);

#endif
