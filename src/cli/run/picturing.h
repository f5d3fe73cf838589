/* --picture: the weights as a picture, in a file or on standard output. */
#ifndef SELFATTN_CLI_RUN_PICTURING_H
#define SELFATTN_CLI_RUN_PICTURING_H

#include "cli/out/outputs.h"

/* What can't be drawn is an error. */
bool picturing_check(const outputs *to, err *e);
/* Draws the weights of a run, all heads of them, and of layers all that have some. */
bool picturing_draw(const trace *of, const options *o, const env *world, const outputs *to,
                    text *out, err *e);

#endif
