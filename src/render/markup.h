/* A trace as Markdown or LaTeX: what the two have in common.
 *
 * Each is a `markup`, a table of the marks around headings, tables and words. The formulas are
 * LaTeX in both. */
#ifndef SELFATTN_RENDER_MARKUP_H
#define SELFATTN_RENDER_MARKUP_H

#include "render/expression.h"

struct dialect;

typedef struct markup {
    /* Add words, the user's or ours, so that no character in them is a mark; the second one inside
     * mathematics. */
    void (*add_words)(text *out, const struct dialect *in, const char *words, size_t length);
    math_words *math_words;
    const struct dialect *dialect;                 /* for add_words; NULL: there is only one */
    const char *heading_before[2], *heading_after; /* around the title, and around a step's name */
    const char *frame_after; /* what a heading begins ends with it; NULL: it begins nothing */
    const char *strong_before, *strong_after; /* around bold words */
    const char *math_before, *math_after;     /* around lines that are aligned at & and end in \\ */
    const char *inline_before, *inline_after; /* around mathematics in a cell */
    bool numbers_are_math;
    /* Around the alignments of a table's columns, 'l' or 'r' each, in front of its first row; NULL:
     * the rule has them. */
    const char *columns_before, *columns_after;
    const char *row_before, *cell_between, *row_after, *table_after;
    /* The line below a heading, or above a sum; NULL: the line has the alignments, and stands below
     * the first row alone, so that every table needs a heading. */
    const char *rule;
    size_t most_rows; /* of a table of words, below its heading; 0: any number fits */
    /* How many characters fit side by side, 0: any number; and how many some words take. */
    size_t most_characters;
    size_t (*characters)(const char *words);
} markup;

/* A document that is being written. */
typedef struct markup_page {
    sink *to;
    text *out; /* sink_text of `to` */
    const markup *marks;
    const render_options *how;
    size_t left; /* columns of the widest left side among lines that are aligned */
} markup_page;

/* Writes all of the trace. */
bool markup_render(const trace *t, const render_options *how, const markup *marks, sink *to,
                   err *e);

/* The same in parts: first title and notes, then one step after the other; `number` counts from
 * 1. */
void markup_add_beginning(const markup_page *p, const trace *t);
bool markup_add_step(const markup_page *p, const trace_step *step, size_t number, err *e);

#endif
