/* The value of one setting of a document: a number, a count, or a word of a table. The error of a
 * value that is none is at the setting, with what it is and what it must be. */
#ifndef SELFATTN_ATTN_SPEC_SETTING_H
#define SELFATTN_ATTN_SPEC_SETTING_H

#include "base/named.h"
#include "tensor/bundle.h"

bool setting_is_number(const entry *setting, double *value);

/* A number from `least`. */
bool setting_number(const entry *setting, double least, double *value, err *e);

/* The greatest count that a float64 holds with all counts below it: 2^53. */
extern const double SETTING_MOST_COUNT;

/* A whole number from `least` to that. */
bool setting_count(const entry *setting, double least, size_t *value, err *e);
/* " to 9007199254740992", for a number above it; else its bound is nothing to speak of. */
const char *setting_up_to(double number);

/* The row of its word; NULL with the error set where the table has none. `or_else` says what it may
 * be but for a word. */
const named *setting_word(const entry *setting, const named_table *words, const char *or_else,
                          err *e);

/* Whether `layout`, which may be NULL, is out-in; by default it is not. */
bool setting_is_out_in(const entry *layout);

#endif
