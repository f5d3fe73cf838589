/* The document's keys besides its matrices that options of `selfattn init` give: heads, … */
#ifndef SELFATTN_CLI_INIT_INIT_SETTINGS_H
#define SELFATTN_CLI_INIT_INIT_SETTINGS_H

#include "cli/line/env.h"
#include "cli/line/options.h"
#include "io/format.h"

/* In one order, whatever that of the options is, so that the same command line makes the same
 * document. */
bool init_settings_read(bundle *settings, const options *o, const env *world, err *e);

/* Borrows for *kept what the format holds besides matrices. What it has no place for is noted, and
 * refused where run would then compute something else from a file of several matrices, which is a
 * whole problem: a matrix alone is not, and what belongs to it is said to run with it. */
bool init_settings_keep(const bundle *settings, const format *to, const options *o,
                        const env *world, bundle *kept, err *e);

#endif
