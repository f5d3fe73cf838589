/* Every layer mistake of src/why, made by the reference of stacks: in what is asked of it, or by a
 * word of REF_STACK_MISTAKES. */
#ifndef SELFATTN_TESTS_WHY_STACK_PLANTS_H
#define SELFATTN_TESTS_WHY_STACK_PLANTS_H

#include "ref/ref_stack.h"

/* A mistake being made: in the layers from `first` on and before `end`, or in the whole. */
typedef struct stack_planting {
    ref_stack *s;
    bool is_whole;
    size_t first, end;
    int with;
} stack_planting;

/* False where the mistake can't be made in this stack, or not by this simple arithmetic. */
typedef bool (*stack_plant_step)(stack_planting *of);

typedef struct stack_plant {
    const char *name;        /* of the mistake */
    const char *mistake;     /* of REF_STACK_MISTAKES; NULL: the reference does what it is asked */
    stack_plant_step change; /* what is asked; NULL: nothing */
    int with;
} stack_plant;

extern const stack_plant STACK_PLANTS[];
extern const size_t STACK_PLANT_COUNT;

#endif
