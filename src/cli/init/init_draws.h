/* Which matrices `selfattn init` draws, in which order, and the law of each. */
#ifndef SELFATTN_CLI_INIT_INIT_DRAWS_H
#define SELFATTN_CLI_INIT_INIT_DRAWS_H

#include "cli/init/init_plan.h"

/* The distribution that is named, or usual. */
const char *init_dist(const options *o);
extern const char *const KNOB_OPTIONS[KNOBS]; /* the options that turn the knobs */

/* Once the sizes, the type and the generator are known. */
bool init_draws_make(init_plan *p, const options *o, err *e);

#endif
