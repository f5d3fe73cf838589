/* The command line that makes a document again: its "source". */
#ifndef SELFATTN_CLI_INIT_INIT_COMMAND_H
#define SELFATTN_CLI_INIT_INIT_COMMAND_H

#include "cli/init/init_plan.h"
#include "io/format.h"

/* Every option that decides a number, also those that were left out; words that a shell would read
 * otherwise are quoted. Digits decide numbers of text: next to elements as they lie in memory the
 * command makes those. */
void init_command_write(const init_plan *p, const options *o, const format *to, text *out);
/* Adds " --NAME A,B", or nothing of an empty list. */
void init_command_add_list(text *out, const char *name, const text_list *list);

#endif
