/* The shapes of the numbers that check compares with, judged before anything is computed. */
#ifndef SELFATTN_CLI_CHECK_CHECK_SHAPES_H
#define SELFATTN_CLI_CHECK_CHECK_SHAPES_H

#include "cli/check/checker.h"

/* Gives the numbers of one attention's stages the axes that the stages have here, where they have
 * those of other programs: a result's heads may be apart, and what is one number a row may lack its
 * last axis. Borrows the others. */
bool check_shapes_lay(const checker *c, const work *w, const bundle *numbers, bundle *laid, err *e);
/* Refuses numbers that can't be compared with what will be computed. */
bool check_shapes(const checker *c, const named_stages *of, const work *w, err *e);
/* Adds to the error of a shape which stage has it, where that is likely to be meant. Returns
 * false. */
bool check_shapes_suggest(const checker *c, const named_stages *of, const work *w, err *e);

#endif
