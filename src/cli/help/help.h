/* What `--help`, `--version` and `selfattn help WORD` print, made of the tables. */
#ifndef SELFATTN_CLI_HELP_HELP_H
#define SELFATTN_CLI_HELP_HELP_H

#include "base/text.h"
#include "cli/command.h"

enum { HELP_WIDTH = 80 }; /* columns of all help */

/* Usage, commands, options, exit status, where to look next. */
void help_write_short(text *out); /* one screen */
void help_write_all(text *out);
void help_write_command(text *out, const command *of);
void help_write_version(text *out);
/* Six lines for somebody who typed nothing but the name. */
void help_write_first(text *out);

/* All entries of any table with this name, a plural's whole table, or those whose text has the
 * word; false, with a nearest name in the error, where there is none. */
bool help_write_word(text *out, const char *word, err *e);

#endif
