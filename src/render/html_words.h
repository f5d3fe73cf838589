/* Words on a page. */
#ifndef SELFATTN_RENDER_HTML_WORDS_H
#define SELFATTN_RENDER_HTML_WORDS_H

#include "trace/trace.h"

/* Text that is shown, whatever marks are in it. */
void html_add_words(text *out, const char *words);
/* Markup with such texts and numbers in it: %s, %d and %zu. */
void html_add_format(text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* W with a small Q for Wq, d with a small k for d_k, −∞ for -inf. */
void html_add_mathematics(text *out, const char *words);
/* The same without what an option would change. */
void html_add_sentence(text *out, const char *words);
/* Of a row or a column, cut where it is long. */
void html_add_label(text *out, const trace_labels *labels, size_t index);

#endif
