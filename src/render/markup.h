/* A trace as a document in a language of marks: what Markdown and LaTeX have in common. They differ
 * in how a heading, a table, and words are marked; the formulas are LaTeX in both. */
#ifndef SELFATTN_RENDER_MARKUP_H
#define SELFATTN_RENDER_MARKUP_H

#include "render/brackets.h"
#include "render/math.h"
#include "render/renderer.h"

typedef struct markup {
    /* Words that the user or we wrote, so that none of them is a mark. */
    void (*add_words)(text *out, const char *words);
    math_words *math_words;
    const char *heading_before[2], *heading_after; /* of the title, and of a step */
    const char *strong_before, *strong_after;      /* around bold words */
    const char *math_before, *math_after; /* around lines that are aligned at & and end in \\ */
    /* A table begins with its columns, 'l' or 'r' each; then come rows of cells. The rule stands
     * below the heading, or above a sum. */
    void (*table_begin)(text *out, const char *columns);
    void (*rule)(text *out, const char *columns);
    const char *inline_before, *inline_after; /* around mathematics in a cell */
    const char *row_before, *cell_between, *row_after, *table_after;
    bool has_rule_anywhere; /* else only below the first row, and every table has a heading */
    const char *number_before, *number_after; /* around a number in a cell */
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

/* markup_tables.c */
void markup_add_product(const markup_page *p, const trace_item *item);
void markup_add_matrix(const markup_page *p, const trace_item *item);
void markup_add_stack(const markup_page *p, const trace_item *item);
void markup_add_table(const markup_page *p, const trace_item *item);

/* A paragraph that says what of a matrix is not shown, where anything is not. */
void markup_add_left_out(const markup_page *p, const selection *rows, const selection *columns);

#endif
