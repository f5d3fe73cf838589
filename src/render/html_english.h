/* The sentences of a page, by their names (src/text). */
#ifndef SELFATTN_RENDER_HTML_ENGLISH_H
#define SELFATTN_RENDER_HTML_ENGLISH_H

#include "base/text.h"

/* What the page says under this name, about these texts or numbers. */
void html_say(text *out, const char *which, const char *const *about);
void html_say_numbers(text *out, const char *which, size_t first, size_t second);
/* The same about nothing, to be shown. */
const char *html_english(const char *which);
/* All of it for the script, as a JSON object. */
void html_add_english(text *out);

#endif
