/* init --exercise DOCUMENT: a variant of an exercise, of the same structure and other numbers. */
#ifndef SELFATTN_CLI_INIT_INIT_VARIANT_H
#define SELFATTN_CLI_INIT_INIT_VARIANT_H

#include "cli/line/options.h"
#include "io/format.h"

/* Refuses a format that does not hold what an exercise asks for. */
bool init_variant_check_format(const format *to, err *e);

/* Writes the document with the numbers of each of its matrices in another order, by the seed: so
 * they stay as easy to compute with as its author made them. What it says of results goes. */
bool init_variant(const options *o, err *e);

#endif
