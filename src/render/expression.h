/* The parts of a worked line, which each page of a trace lays out in its own way: its numbers are
 * an expression, 1·4 + 0·4 + 2·0, exp(2 − 4), max(2, 4, 4). */
#ifndef SELFATTN_RENDER_EXPRESSION_H
#define SELFATTN_RENDER_EXPRESSION_H

#include "render/math.h"
#include "render/renderer.h"

/* Where the expression and the result may be broken, MATH_BREAK stands before a space. */
typedef struct worked_line {
    text head;                   /* "scores[1,2] = q[1]·k[2]", what stands before the numbers */
    math_span word[TRACE_WORDS]; /* of the head, that are not mathematics */
    size_t words;
    text expression, result;
    text inner;                /* between them, where functions inside are worked out */
    const char *before, *sign; /* before the expression, and before the result */
} worked_line;

worked_line worked_line_of(const trace_item *item, const render_options *how);
/* What was missed for want of memory makes `out` fail. */
void worked_line_free(worked_line *l, text *out);

#endif
