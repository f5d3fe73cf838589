/* The parts that all JSON here is written with: strings, numbers, lists, members of objects. */
#ifndef SELFATTN_IO_JSON_WRITE_H
#define SELFATTN_IO_JSON_WRITE_H

#include "base/text.h"
#include "tensor/bundle.h"

/* cJSON makes the strings: from now on it allocates through base/mem.h, as all else does. */
void json_string_use_account(void);

/* Appends the string in quotes, with a '?' for each byte that is not UTF-8, as in a file's name.
 * Running out of memory is remembered in the text, as in any append. */
void json_string_write(text *to, const char *string);

/* digits < 0: the shortest decimal that reads back to the same number of its type; else so many
 * decimals. What is not finite is a text ("NaN", "Infinity", "-Infinity"), a hole is null. */
void json_element_write(text *out, dtype type, double value, int digits);

/* A tensor of rank 1 as a list on one line. */
void json_row_write(text *out, const tensor *row, int digits);

void json_list_write(text *out, const text_list *list);

/* Members of an object: each puts its own comma, and nothing after an opening bracket. The key
 * alone is "NAME": , where the value is still to be written. */
void json_member_key(text *out, const char *name);
void json_member_text(text *out, const char *name, const char *value);
void json_member_count(text *out, const char *name, size_t value);

#endif
