/* check --update: writes numbers that differ into the document's file, and changes nothing else. */
#ifndef SELFATTN_CLI_CHECK_CHECK_UPDATE_H
#define SELFATTN_CLI_CHECK_CHECK_UPDATE_H

#include "cli/check/checker.h"

/* Begins a file. Refuses what can't be replaced: standard input, a pipe. */
bool check_update_open(checker *c, const char *file, err *e);
/* Notes an edit for each number of a document that differs, but for known errata, with as many
 * decimals as its stage has; and adds a line that says how many. */
bool check_update(checker *c, const named_stages *of, err *e);
/* Writes the file, once all its documents were checked. If one of them could not be checked,
 * nothing is written, and the lines that say otherwise are taken back. */
void check_update_end(checker *c, bool is_checked, err *e);

#endif
