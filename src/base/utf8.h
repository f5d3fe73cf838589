/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing past U+10FFFF. */
#ifndef SELFATTN_BASE_UTF8_H
#define SELFATTN_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character that begins at `at`: its code point and its bytes; 0 bytes if none begins there. */
typedef struct utf8_character {
    uint32_t code;
    size_t bytes;
} utf8_character;

utf8_character utf8_read(const char *at, const char *end);

/* The bytes of a character, at most 4, which are written to `to`. */
size_t utf8_write(uint32_t code, char *to);

/* The first byte of [text, end) that does not begin a whole character; NULL: all do. */
const char *utf8_find_invalid(const char *text, const char *end);

/* The bytes of the byte order mark that some editors and shells begin a text with: 3, or 0. */
size_t utf8_mark(const char *text, size_t length);

/* Puts a '?' in place of each byte that belongs to no character: a file's name may be any bytes,
 * and all that is written is UTF-8. */
void utf8_make_valid(char *text);

/* Whether a terminal obeys the character instead of showing it: C0 and C1 controls (with escape and
 * the 8-bit CSI), line and paragraph separators, the byte order mark, and the marks that turn the
 * direction of what follows (Unicode Standard Annex #9). */
bool utf8_is_order(uint32_t code);

/* The most bytes of the text, up to `most`, that cut no character in two. */
size_t utf8_cut(const char *text, size_t length, size_t most);

/* Puts a '?' in place of each such character and of each byte that belongs to no character:
 * messages on a terminal quote the user's own bytes. */
void utf8_make_printable(char *text);

#endif
