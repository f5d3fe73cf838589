/* Text on a terminal: how wide it is, and how to make it safe.
 *
 * Tokens and titles come from the user's files; no byte of them may be an order to the terminal.
 * Widths are Unicode's, in any locale. A terminal that knows an older Unicode shows a rare script
 * shifted; nothing worse happens. */
#ifndef SELFATTN_RENDER_DISPLAY_H
#define SELFATTN_RENDER_DISPLAY_H

#include "base/text.h"

#include <stdint.h>

/* One character as it is shown. Shown as '?' are control characters, characters that change the
 * direction of writing, and each byte that is not UTF-8. */
typedef struct glyph {
    size_t bytes;   /* in the text */
    size_t columns; /* 0 (it joins the one before), 1 or 2 */
    bool is_safe;   /* else it is shown as '?' */
} glyph;

glyph glyph_at(const char *at, const char *end);

/* From Unicode's tables: 0 for what joins the character before it, 2 for East Asian wide characters
 * and emoji, else 1. Public for its test. */
size_t code_point_columns(uint32_t code);

/* Columns of the text as display_add shows it. */
size_t display_columns(const char *string, size_t length);

/* A character that is a mark, and how a text has the character itself. A table of them ends with
 * NUL. */
typedef struct escape {
    char character;
    const char *as;
} escape;

/* NULL where the character is none of them. */
const char *escape_find(const escape *escapes, char c);

void display_add_escaped(text *out, const char *string, size_t length, const escape *escapes);
void display_add(text *out, const char *string, size_t length);
void display_add_string(text *out, const char *string);

/* Adds the text, cut to at most `most` columns, the last of which is then …; returns its columns.
 * The second function only returns them. */
size_t display_add_cut(text *out, const char *string, size_t most);
size_t display_cut_columns(const char *string, size_t most);

/* How many bytes of the text make its next line, which ends before a newline, else between words if
 * that can be, else inside one. *skip: how many bytes to pass over after it, a newline or
 * spaces. */
size_t display_line(const char *string, size_t columns, size_t *skip);

/* Words as lines of at most `width` columns, each after `indent` spaces. */
void display_add_wrapped(text *out, const char *words, size_t indent, size_t width);

/* Notes as they were typed anywhere: \r\n and \r end a line as \n does, and a tab is a space. */
void display_add_lines(text *out, const char *words);

/* Ends a line; spaces at its end go. */
void display_end_line(text *out);

#endif
