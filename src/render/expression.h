/* Formulas and worked lines as LaTeX math, which GitHub's Markdown knows too:
 * "scores[1,2] = q[1]·k[2]" becomes \mathrm{scores}[1,2] = q[1]\cdot k[2]. And the parts of a
 * worked line, which each page of a trace lays out in its own way: its numbers are an expression,
 * 1·4 + 0·4 + 2·0, exp(2 − 4), max(2, 4, 4). */
#ifndef SELFATTN_RENDER_EXPRESSION_H
#define SELFATTN_RENDER_EXPRESSION_H

#include "render/display.h"
#include "render/renderer.h"

/* ---- mathematics (math.c) ---- */

/* How words that are not mathematics are escaped: names of keys come from the user's files. */
typedef void math_words(text *out, const char *words, size_t length);

/* Stands before a space at which a line may be broken; nothing that is shown holds it. */
enum { MATH_BREAK = '\n' };
/* How much of a formula comes before the next such place: under a root there is none. */
size_t math_piece(const char *formula);

/* "softmax(scores)": names alone, no letter for a number. */
bool math_is_words(const char *formula);

void math_add(text *out, const char *formula, size_t length, math_words *words);

/* Where in a formula words stand that only look like one: bytes from its beginning. */
typedef struct math_span {
    size_t at, bytes;
} math_span;

/* The part of a formula from `first` to before `end`; its `spans` are in their order. */
void math_add_part(text *out, const char *formula, size_t first, size_t end, const math_span *span,
                   size_t spans, math_words *words);

/* The command of one character (√ and ᵀ included), or NULL; its bytes in *bytes. */
const char *math_symbol(const char *at, size_t *bytes);

/* ---- worked lines (expression.c) ---- */

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
