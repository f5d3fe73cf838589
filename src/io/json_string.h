/* Strings in and out of JSON: the only door to cJSON, which resolves and makes the escapes. */
#ifndef SELFATTN_IO_JSON_STRING_H
#define SELFATTN_IO_JSON_STRING_H

#include "base/text.h"
#include "io/json_text.h"

/* From now on cJSON's memory is had as all other is. */
void json_string_use_account(void);

enum { JSON_MAX_LABEL = 4096 }; /* bytes of a name or a label, escapes resolved */

/* The string whose opening quote is at `at`, in a text that has passed the scan; the caller frees
 * it with mem_free. NULL with the error set when it holds a NUL or has more than `most` bytes (0:
 * any number). */
char *json_string_read(json_text *t, const char *at, size_t most, err *e);

/* "NaN", "Infinity", "-inf": JSON has no numbers for them, and they are texts. False for any
 * other. */
bool json_nonfinite_read(json_text *t, const char *at, double *value);

/* Appends the string in quotes, with a '?' for each byte that is not UTF-8, as in a file's name.
 * Running out of memory is remembered in the text, as in any append. */
void json_string_write(text *to, const char *string);

#endif
