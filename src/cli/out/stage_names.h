/* The names of stages that there are, of one attention or of a stack, for what names one. */
#ifndef SELFATTN_CLI_OUT_STAGE_NAMES_H
#define SELFATTN_CLI_OUT_STAGE_NAMES_H

#include "cli/line/options.h"

/* `of_stack`: its stages; NULL: those of one attention, whatever it makes of them. */
bool stage_names_have(const text_list *of_stack, const char *name);

/* NULL where none is near. */
const char *stage_names_nearest(const text_list *of_stack, const char *name, size_t length);

/* What would make a stage that these layers might have, "the option --softcap"; NULL: nothing
 * would. */
const char *stage_names_needs(const text_list *of_stack, const char *name);

/* The second line of the error of a name that none has. `all` goes on after a stack's first and
 * last stage, where no name is near: how to have them all, or nothing. */
bool stage_names_suggest(const text_list *of_stack, const char *name, const char *all, err *e);

/* --tol [NAME=]T as one question: how far may this stage be off? */

/* What --tol NAME=T says of this name, the last one said; false where none does. */
bool tolerance_given(const options *o, const char *name, double *tol);

/* Refuses --tol NAME=T where NAME is neither an attention's stage nor in `names`. Without `names`
 * what a stack may have is let be, until they are known. */
bool tolerances_check(const options *o, const text_list *names, err *e);

#endif
