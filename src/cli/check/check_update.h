/* check --update: numbers that differ are written into the file, and nothing else in it changes:
 * each in the decimals of its stage, in the place of the number that stood there. A file is written
 * once, when all its documents were checked. */
#ifndef SELFATTN_CLI_CHECK_CHECK_UPDATE_H
#define SELFATTN_CLI_CHECK_CHECK_UPDATE_H

#include "cli/check/checker.h"
#include "cli/check/errata.h"

typedef struct new_numbers {
    const document *document;
    const bundle *expected, *computed; /* by stage, of the same shapes */
    const errata *known;               /* elements that stay as they are */
} new_numbers;

/* Begins a file. Refuses what can't be written into: standard input, a pipe. */
bool check_update_open(checker *c, const char *file, err *e);
/* Puts them into c->update, and adds a line that says how many there were. */
bool check_update(checker *c, const new_numbers *of, err *e);

#endif
