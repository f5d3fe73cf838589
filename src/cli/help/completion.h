/* Completions for the shells, what the build adds to the manual's pages, and the schema of what is
 * read and written: pages of src/text whose slots are filled from the tables of commands, options
 * and keys, so that all of them say what the program does. */
#ifndef SELFATTN_CLI_HELP_COMPLETION_H
#define SELFATTN_CLI_HELP_COMPLETION_H

#include "base/named.h"
#include "base/text.h"
#include "cli/command.h"

/* What stands where a page has {name}: rows of a table, or a text where `of` is NULL. */
typedef struct slot {
    named named;
    const named_table *of;
    void (*write_rows)(text *out, const named_table *of);
    void (*write)(text *out);
} slot;

/* What `help --completion WORD` writes: a page, and what fills its slots. */
typedef struct shell {
    named named;
    const char *page;
    const named_table *slots;
    void (*write)(text *out, const struct shell *of);
} shell;

extern const named_table SHELLS; /* rows of `shell` */

/* The page with its slots filled; one that stands alone on a line takes the whole line. Braces
 * around what names no slot are left alone. */
void page_write(text *out, const shell *of);

/* The manual's pages, selfattn(1), selfattn-document(5) and selfattn-contract(7), as roff. */
extern const named_table MANUAL_SLOTS;
void manual_write(text *out, const shell *of);

/* The JSON Schema of documents and of all that is written as JSON. */
extern const named_table SCHEMA_SLOTS;

/* The words that may follow an option, separated by `separator`: those of both its tables. */
void option_write_choices(text *out, const option_row *row, const char *separator);

/* Walks the options that a command takes, or all of them where `taker` is NULL: the first row at or
 * after *index, which then points after it; NULL after the last. */
const option_row *option_next(const command *taker, size_t *index);

const command *command_at(size_t index);

#endif
