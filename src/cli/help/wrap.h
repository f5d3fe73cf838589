/* Plain text broken into lines by words, and padded into columns: what help prints with. */
#ifndef SELFATTN_CLI_HELP_WRAP_H
#define SELFATTN_CLI_HELP_WRAP_H

#include "base/text.h"

/* Columns that a UTF-8 text takes where each character takes one, as they do in all of our
 * tables. */
size_t wrap_columns(const char *line);

/* Appends `words`, each line indented by `indent` and at most `width` columns wide, with a newline
 * at the end. `column` is where the line stands now; one that has reached the indent is ended
 * first. Newlines in `words` are kept. */
void wrap_add(text *out, const char *words, size_t column, size_t indent, size_t width);

/* The same for a text that was made for it: takes it, and with it its want of memory. */
void wrap_add_text(text *out, text *words, size_t column, size_t indent, size_t width);

#endif
