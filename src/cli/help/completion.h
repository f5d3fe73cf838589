/* Completions for the shells, and the manual's generated part: each walks the tables of commands
 * and options, so that all of them say what the parser does. */
#ifndef SELFATTN_CLI_HELP_COMPLETION_H
#define SELFATTN_CLI_HELP_COMPLETION_H

#include "base/named.h"
#include "base/text.h"
#include "cli/command.h"

/* What `help --completion WORD` writes. */
typedef struct shell {
    named named;
    void (*write)(text *out);
} shell;

extern const named_table SHELLS; /* rows of `shell` */

void completion_write_bash(text *out);
void completion_write_zsh(text *out);
void completion_write_fish(text *out);

/* The generated parts of the manual's pages, selfattn(1), selfattn-document(5) and
 * selfattn-contract(7), as roff. */
void manual_write(text *out);
void manual_write_document(text *out);
void manual_write_contract(text *out);

/* The words that may follow an option, separated by `separator`: those of both its tables. */
void option_write_choices(text *out, const option_row *row, const char *separator);

/* The names that may be a command's operands, separated by spaces; nothing where they are files. */
void command_write_operands(text *out, const command *of);

/* Walks the options that a command takes, or all of them where `taker` is NULL: the first row at or
 * after *index, which then points behind it; NULL after the last. */
const option_row *option_next(const command *taker, size_t *index);

const command *command_at(size_t index);

/* A comma-separated list of words; the name of a file. */
bool option_is_list(const option_row *row);
bool option_takes_file(const option_row *row);

#endif
