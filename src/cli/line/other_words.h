/* What people write who don't know the words yet: as an option, a command, a format, a step or the
 * end of a file's name. One question for all of these places, "is that something that we have under
 * another name?", and one table of answers. */
#ifndef SELFATTN_CLI_LINE_OTHER_WORDS_H
#define SELFATTN_CLI_LINE_OTHER_WORDS_H

#include "cli/line/options.h"

/* Adds to an error about a word the remedy, where it is a format of traces, which --trace-output
 * writes: "html", "tex", "page". Returns whether it is. */
bool other_words_trace(const char *word, size_t length, err *e);

/* The option that others call so: "decimals" is digits, "q" quiet. NULL: none. */
const option_row *other_words_option(const char *word, size_t length);

/* The same remedies for a first argument that is neither a command nor a file, and that of an
 * example. */
bool other_words_command(const char *word, err *e);

#endif
