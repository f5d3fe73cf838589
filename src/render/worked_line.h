/* The parts of a worked line, which every page of a trace lays out in its own way. */
#ifndef SELFATTN_RENDER_WORKED_LINE_H
#define SELFATTN_RENDER_WORKED_LINE_H

#include "render/expression_text.h"
#include "render/math.h"

/* Where the expression and the result may be broken, EXPRESSION_BREAK stands before a space. */
typedef struct worked_line {
    text head;                   /* "scores[1,2] = q[1]·k[2]", what stands before the numbers */
    math_span word[TRACE_WORDS]; /* of the head, that are no mathematics */
    size_t words;
    text expression, result;
    text inner;                /* between them, where functions inside are worked out */
    const char *before, *sign; /* before the expression, and before the result */
} worked_line;

worked_line worked_line_of(const trace_item *item, const render_options *how);
/* What was missed for want of memory makes `out` fail. */
void worked_line_free(worked_line *l, text *out);

#endif
