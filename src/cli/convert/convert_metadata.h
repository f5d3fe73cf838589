/* What stands besides the matrices of a safetensors file: the document's name, and texts for
 * whoever wrote it. */
#ifndef SELFATTN_CLI_CONVERT_CONVERT_METADATA_H
#define SELFATTN_CLI_CONVERT_CONVERT_METADATA_H

#include "cli/line/env.h"
#include "cli/line/options.h"
#include "io/format.h"

/* Moves them out of the bundle into `kept`, and points `how` there, where the format has a place
 * for metadata. Where it has none, the texts are left out, with a note: they tell of the file, and
 * not of its numbers. */
bool convert_take_metadata(bundle *b, const format *f, const char *in, const options *o,
                           const env *world, bundle *kept, write_options *how, err *e);

#endif
