/* Checks names of stages that a user gives, for one attention or for layers, and says which are
 * near. */
#ifndef SELFATTN_CLI_OUT_STAGE_NAMES_H
#define SELFATTN_CLI_OUT_STAGE_NAMES_H

#include "cli/line/options.h"

/* Whether there is such a stage. `of_stack` are the stages of layers; NULL: any stage that an
 * attention may have. */
bool stage_names_have(const text_list *of_stack, const char *name);

/* The nearest name, or NULL where none is near. */
const char *stage_names_nearest(const text_list *of_stack, const char *name, size_t length);

/* What would make this stage, which these layers don't make: "the option --softcap". NULL: nothing
 * would. */
const char *stage_names_needs(const text_list *of_stack, const char *name);

/* Adds the remedy to the error of an unknown name: the nearest one or, for layers without one, the
 * first and the last stage, followed by `all`, which may say how to list them. Returns false. */
bool stage_names_suggest(const text_list *of_stack, const char *name, const char *all, err *e);

/* ---- --tol [NAME=]T: how far a stage may be off ---- */

/* The T of the last --tol NAME=T with this name; false where there is none. */
bool tolerance_given(const options *o, const char *name, double *tol);

/* Refuses --tol NAME=T where NAME is neither an attention's stage nor in `names`. With `names`
 * NULL, not known yet, it lets pass what layers may have. */
bool tolerances_check(const options *o, const text_list *names, err *e);

#endif
