/* check --update: numbers that differ are written into the document, and nothing else in it
 * changes: each in the decimals of its stage, in the place of the number that stood there. */
#ifndef SELFATTN_CLI_CHECK_CHECK_UPDATE_H
#define SELFATTN_CLI_CHECK_CHECK_UPDATE_H

#include "cli/check/checker.h"
#include "cli/check/errata.h"

typedef struct new_numbers {
    const document *document;
    const bundle *expected, *computed; /* by stage, of the same shapes */
    const errata *known;               /* elements that stay as they are */
} new_numbers;

/* Refuses what can't be written into: standard input, a pipe, a line of a stream. */
bool check_update_takes(const document *one, err *e);
/* Adds a line that says how many there were. The old file stays where anything fails. */
bool check_update(checker *c, const new_numbers *of, err *e);

#endif
