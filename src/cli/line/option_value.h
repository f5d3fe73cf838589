/* From the text after an option to its field: counts, sizes, numbers, words, lists, each checked as
 * its row says. */
#ifndef SELFATTN_CLI_LINE_OPTION_VALUE_H
#define SELFATTN_CLI_LINE_OPTION_VALUE_H

#include "cli/line/options.h"

/* Where its value goes. */
void *option_field(options *o, const option_row *row);

/* Sets the field of the row, or adds to the keys given. `value` is NULL where the option came
 * without one. */
bool option_set(options *o, const option_row *row, const char *value, err *e);

/* Refuses words of options that layers' names may be words of (any_in), and that no table has: an
 * attention has no other. * stands for anything. */
bool options_check_words(const options *o, err *e);

/* The document's key of this row is to be removed. */
bool option_remove_key(options *o, const option_row *row, err *e);

/* Whether `value` is one of the words that the row takes (each, where it is a list), or could be a
 * setting's. */
bool option_may_take(const option_row *row, const char *value);

#endif
