/* The memory that may be used. */
#ifndef SELFATTN_CLI_MEMORY_LIMIT_H
#define SELFATTN_CLI_MEMORY_LIMIT_H

#include "cli/env.h"
#include "cli/options.h"

/* --max-memory, else 80 % of what is free: other programs live too. */
size_t memory_limit(const options *o, const env *world);

#endif
