/* What a person is told beside the result: a line on standard error, which --quiet leaves out. */
#ifndef SELFATTN_CLI_NOTE_H
#define SELFATTN_CLI_NOTE_H

#include "base/err.h"
#include "cli/env.h"

/* The note names its document, but for the only one, read from standard input or made of options,
 * and where `at` is NULL. */
void note_say(const env *world, const place *at, const char *note);

void note_missing_threads(const env *world, const place *at, size_t ran, size_t wanted);

#endif
