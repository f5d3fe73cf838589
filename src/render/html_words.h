/* Words on a page: each function appends its words with what HTML would take for marks escaped. */
#ifndef SELFATTN_RENDER_HTML_WORDS_H
#define SELFATTN_RENDER_HTML_WORDS_H

#include "trace/trace.h"

/* Plain words, the user's or ours. */
void html_add_words(text *out, const char *words);
/* Markup: `format` stays as it is, and its texts (%s) are escaped; it may have %d and %zu too. */
void html_add_format(text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Words in which names are set as mathematics: W with a small Q for Wq, d with a small k for d_k,
 * −∞ for -inf. */
void html_add_mathematics(text *out, const char *words);
/* The same for a sentence of a trace, without its advice about options. */
void html_add_sentence(text *out, const char *words);
/* The label of a row or a column, cut where it is long. */
void html_add_label(text *out, const trace_labels *labels, size_t index);

#endif
