/* What of a file would be lost in another format: said before anything is written. */
#ifndef SELFATTN_CLI_CONVERT_CONVERT_CHECK_H
#define SELFATTN_CLI_CONVERT_CONVERT_CHECK_H

#include "cli/line/env.h"
#include "cli/line/options.h"
#include "io/format.h"

/* Names each entry that the format has no place for, on its own line of stderr, and then fails;
 * with --force takes them out of the bundle, and goes on. What only changes its look is told in
 * notes. `in` and `out` are the files' names for messages. */
bool convert_check(bundle *b, const format *f, const char *in, const char *out, const options *o,
                   const env *world, err *e);

/* Leaves out what of a file was not read, and says why. */
bool convert_leave_unread(bundle *b, const options *o, const env *world, err *e);

#endif
