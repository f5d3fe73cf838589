/* Options that a layer overrules. */
#ifndef SELFATTN_CLI_RUN_STACK_OVERRULED_H
#define SELFATTN_CLI_RUN_STACK_OVERRULED_H

#include "cli/out/note.h"
#include "model/stack.h"

/* An option stands at the top, for layers that say nothing else: a note names the first that
 * does. */
void stack_say_overruled(const stack *s, const options *o, const env *world);

#endif
