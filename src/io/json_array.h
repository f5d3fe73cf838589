/* Nested lists of numbers (or of true and false) straight from the bytes into a tensor: no tree.
 * Plain matrices were read by the scan (io/json_lists.h); for all others one pass finds the shape,
 * and one reads. The text must have passed json_scan. */
#ifndef SELFATTN_IO_JSON_ARRAY_H
#define SELFATTN_IO_JSON_ARRAY_H

#include "io/json_element.h"

/* Reads the value at `at`: a list of rank 1 to rules->most_rank, or one number as rank 0. All lists
 * of one depth must be equally long, and none empty. */
bool json_array_read(json_text *t, const char *at, const element_rules *rules, tensor *out, err *e);

/* Whether a value is such a list of numbers (and NaN, infinities, null), be they such as can be
 * read or not. */
bool json_array_is_numbers(json_text *t, const char *at, int most_rank);

#endif
