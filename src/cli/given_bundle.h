/* --bundle: matrices and settings of many documents in one file. */
#ifndef SELFATTN_CLI_GIVEN_BUNDLE_H
#define SELFATTN_CLI_GIVEN_BUNDLE_H

#include "cli/options.h"

/* Puts what the bundle holds over `contents`: under the document's own names, behind --prefix, or
 * as --map says. What else is in the file is left alone. */
bool given_apply_bundle(const options *o, dtype type, bundle *contents, err *e);

#endif
