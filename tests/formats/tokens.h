/* The numbers in a text, in their order: "12", "-0.5", "6.0337e-06", "inf", "nan".
 *
 * A digit that belongs to a word ("W2") counts too: what can be read as a number on a page must be
 * accounted for. */
#ifndef SELFATTN_TESTS_FORMATS_TOKENS_H
#define SELFATTN_TESTS_FORMATS_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum { TOKEN_MOST = 32 };

/* The next number at or after *at, which is moved after it; false where there is none. */
bool token_next(const char **at, char token[TOKEN_MOST]);

/* True where the token is this number as traces write it: at most 4 decimals, or 5 digits and an
 * exponent. */
bool token_is(const char *token, double value);

/* The typographic minus becomes that of numbers. */
void tokens_plain_minus(char *bytes);

/* What a file shows of itself, without the marks of its format ("markdown", "latex", "html"):
 * changed in place. */
void tokens_strip(char *bytes, const char *format);

#endif
