/* The sentences of a page, which C and the script say alike: each has a name, in a file of
 * src/text. */
#ifndef SELFATTN_RENDER_HTML_ENGLISH_H
#define SELFATTN_RENDER_HTML_ENGLISH_H

#include "base/text.h"

/* Add the sentence of this name with these texts, or numbers, in its places. */
void html_say(text *out, const char *which, const char *const *about);
void html_say_numbers(text *out, const char *which, size_t first, size_t second);
/* The same for a terminal. */
void html_say_plain(text *out, const char *which, const char *const *about);
/* The sentence of this name itself, which has no places. */
const char *html_english(const char *which);
/* Adds all sentences as a JSON object, for the script. */
void html_add_english(text *out);

#endif
