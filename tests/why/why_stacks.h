/* The same of layers: every layer mistake, in the whole stack and in one layer, and attention's own
 * mistakes in its attentions. */
#ifndef SELFATTN_TESTS_WHY_WHY_STACKS_H
#define SELFATTN_TESTS_WHY_WHY_STACKS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tally {
    size_t tried, found;
    size_t claimed;  /* where all was right */
    size_t never;    /* mistakes that no problem let be made */
    size_t seldom;   /* mistakes that were found too seldom */
    size_t of_steps; /* tried as a generation's first step, too */
} tally;

/* Each mistake is to be found in a third of its problems, however well others are. */
bool is_seldom(const tally *of);

/* `only`: a mistake, of which it says more; NULL: all that have their turn. */
bool why_asks_for(const char *name, const char *only);

void why_stacks(size_t count, const char *only, tally *to);
/* Whether a layer mistake of this name is made. */
bool why_stacks_plants(const char *name);

/* why_stacks_back.c: the same of mistakes in the way back of layers alone. */
void why_stacks_back(size_t count, const char *only, tally *to);
bool why_stacks_back_plants(const char *name);

#endif
