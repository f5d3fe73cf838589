/* selfattn example --all DIR: every built-in document with its page and its picture. */
#ifndef SELFATTN_CLI_EXAMPLE_EXAMPLE_ALL_H
#define SELFATTN_CLI_EXAMPLE_EXAMPLE_ALL_H

#include "cli/line/env.h"
#include "cli/line/options.h"

/* Nothing is written where a file is there already, unless --force says so. */
bool example_write_all(const options *o, env *world, err *e);

#endif
