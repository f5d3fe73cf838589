/* selfattn run --picture: the weights as a picture, in a file or on standard output. */
#ifndef SELFATTN_CLI_PICTURING_H
#define SELFATTN_CLI_PICTURING_H

#include "cli/outputs.h"

/* What the picture needs of the run; what can't be drawn is an error. */
bool picturing_want(solution *s, const options *o, const outputs *to, err *e);
/* Draws the weights of a solution that was run, all heads of them. */
bool picturing_draw(const solution *s, const options *o, const env *world, const outputs *to,
                    text *out, err *e);

#endif
