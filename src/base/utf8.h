/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing past U+10FFFF. */
#ifndef SELFATTN_BASE_UTF8_H
#define SELFATTN_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character that begins at `at`: its code point and bytes; no bytes where none does. */
typedef struct utf8_character {
    uint32_t code;
    size_t bytes;
} utf8_character;

utf8_character utf8_read(const char *at, const char *end);

/* The bytes of a character, at most 4, which are written to `to`. */
size_t utf8_write(uint32_t code, char *to);

/* The first byte of [text, end) that begins no whole character, or NULL where all is well. */
const char *utf8_find_invalid(const char *text, const char *end);

/* The bytes of the byte order mark that some editors and shells begin a text with: 3, or 0. */
size_t utf8_mark(const char *text, size_t length);

/* Puts a '?' in place of each byte that is of no character: a file may be called anything, and what
 * is written of its name is UTF-8. */
void utf8_make_valid(char *text);

/* Whether a terminal takes the character as an order: C0 and C1 controls (with escape and the 8-bit
 * CSI), line and paragraph separators, the byte order mark, and the marks that turn the direction
 * of what follows (Unicode Standard Annex #9). */
bool utf8_is_order(uint32_t code);

/* How many bytes of the text stay, `most` at most, so that no character is cut in two. */
size_t utf8_cut(const char *text, size_t length, size_t most);

/* Puts a '?' in place of each order and of each byte that is of no character: what is told on a
 * terminal quotes the user's own bytes. */
void utf8_make_printable(char *text);

#endif
