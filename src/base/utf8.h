/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing past U+10FFFF. */
#ifndef SELFATTN_BASE_UTF8_H
#define SELFATTN_BASE_UTF8_H

/* The first byte of [text, end) that begins no whole character, or NULL where all is well. */
const char *utf8_find_invalid(const char *text, const char *end);

#endif
