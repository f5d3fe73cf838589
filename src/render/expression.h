/* The parts of a worked line of a trace, which each renderer lays out in its own way: the formula
 * in letters, the same with numbers (1·4 + 0·4 + 2·0, exp(2 − 4), max(2, 4, 4)), and the result.
 *
 * And formulas as LaTeX mathematics, which GitHub's Markdown knows too: "scores[1,2] = q[1]·k[2]"
 * becomes \mathrm{scores}[1,2] = q[1]\cdot k[2]. */
#ifndef SELFATTN_RENDER_EXPRESSION_H
#define SELFATTN_RENDER_EXPRESSION_H

#include "render/display.h"
#include "render/renderer.h"

/* ---- mathematics (math.c) ---- */

/* Adds words that are not mathematics, escaped: names of keys come from the user's files. */
typedef void math_words(text *out, const char *words, size_t length);

/* Stands in a formula before a space at which a line may be broken, and is never shown. */
enum { MATH_BREAK = '\n' };
/* How many bytes of a formula come before the next such place that is not under a root. */
size_t math_piece(const char *formula);

/* Whether a word is a weight or a bias of queries, keys, values or the output, Wq or bo: its index
 * is a capital letter, as papers write it. */
bool math_is_weight(const char *word, size_t length);

/* Whether a formula has names alone and no letter that is a number: "softmax(scores)". */
bool math_is_words(const char *formula);

/* Adds a formula as LaTeX. */
void math_add(text *out, const char *formula, size_t length, math_words *words);

/* Words in a formula that only look like mathematics: bytes from its beginning. */
typedef struct math_span {
    size_t at, bytes;
} math_span;

/* Adds the part of a formula from byte `first` to before `end`; the `spans` of the whole are in
 * order. */
void math_add_part(text *out, const char *formula, size_t first, size_t end, const math_span *span,
                   size_t spans, math_words *words);

/* The LaTeX command for the character at `at`, such as √ or ᵀ, and how many bytes it has; NULL:
 * there is none. */
const char *math_symbol(const char *at, size_t *bytes);

/* ---- worked lines (expression.c) ---- */

/* Expression and result have MATH_BREAK where they may be broken. */
typedef struct worked_line {
    text head;                   /* before the numbers: "scores[1,2] = q[1]·k[2]" */
    math_span word[TRACE_WORDS]; /* parts of the head that are not mathematics */
    size_t words;
    text expression, result;
    text inner;                /* between the two, with the functions inside worked out; or empty */
    const char *before, *sign; /* what stands before the expression, and before the result */
} worked_line;

/* To be freed by the next one. */
worked_line worked_line_of(const trace_item *item, const render_options *how);
/* Where memory was missing for the line, `out` fails. */
void worked_line_free(worked_line *l, text *out);

#endif
