/* --update: numbers that differ are written into the file, and nothing else in it changes. */
#ifndef SELFATTN_CLI_CHECK_CHECK_UPDATE_H
#define SELFATTN_CLI_CHECK_CHECK_UPDATE_H

#include "cli/check/checker.h"

/* Begins a file. Refuses what can't be written into: standard input, a pipe. */
bool check_update_open(checker *c, const char *file, err *e);
/* Each in the decimals of its stage, in the place of the number that stood there, but for elements
 * that are known; adds a line that says how many there were. */
bool check_update(checker *c, const named_stages *of, err *e);
/* Writes the file once, when all its documents were checked. All of what differs in a file is
 * recorded or, where some of it could not be checked, nothing: then no line may say otherwise. */
void check_update_end(checker *c, bool is_checked, err *e);

#endif
