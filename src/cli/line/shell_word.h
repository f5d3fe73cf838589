/* Words of a command line as a shell would take them, so that a line of them can be told from
 * another, typed again, and read. */
#ifndef SELFATTN_CLI_LINE_SHELL_WORD_H
#define SELFATTN_CLI_LINE_SHELL_WORD_H

#include "base/text.h"
#include "tensor/bundle.h"

/* In single quotes where a shell would see more than a word. */
void shell_word_add(text *out, const char *word);

/* Adds the words of such a line, with spaces between. */
bool shell_words_read(text_list *to, const char *line, err *e);

#endif
