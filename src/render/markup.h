/* A trace as a document in a language of marks: what Markdown and LaTeX have in common. They differ
 * in how a heading, a table, and words are marked; the formulas are LaTeX in both. */
#ifndef SELFATTN_RENDER_MARKUP_H
#define SELFATTN_RENDER_MARKUP_H

#include "render/expression.h"

struct dialect;

typedef struct markup {
    /* Words that the user or we wrote, so that none of them is a mark; and inside mathematics. */
    void (*add_words)(text *out, const struct dialect *in, const char *words, size_t length);
    math_words *math_words;
    const struct dialect *dialect;                 /* of a language that has several */
    const char *heading_before[2], *heading_after; /* of the title, and of a step */
    const char *strong_before, *strong_after;      /* around bold words */
    const char *math_before, *math_after;     /* around lines that are aligned at & and end in \\ */
    const char *inline_before, *inline_after; /* around mathematics in a cell */
    bool numbers_are_math;
    /* Around the columns of a table that is begun, 'l' or 'r' each; NULL: the rule says them. */
    const char *columns_before, *columns_after;
    const char *row_before, *cell_between, *row_after, *table_after;
    /* The line below a heading, or above a sum; NULL: it is made of the columns, and below the
     * first row only, so that every table has a heading. */
    const char *rule;
    /* What fits side by side, 0: anything does; and how much some words take of that. */
    size_t most_characters;
    size_t (*characters)(const char *words);
} markup;

/* One page being written. */
typedef struct markup_page {
    sink *to;
    text *out; /* of it */
    const markup *marks;
    const render_options *how;
    size_t left; /* columns of the widest left side of what is aligned below each other */
} markup_page;

bool markup_render(const trace *t, const render_options *how, const markup *marks, sink *to,
                   err *e);

/* Its parts: title and notes, then a step after the other. */
void markup_add_beginning(const markup_page *p, const trace *t);
bool markup_add_step(const markup_page *p, const trace_step *step, size_t number, err *e);

#endif
