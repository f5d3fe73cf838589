/* One planted mistake, asked about. */
#ifndef SELFATTN_TESTS_WHY_WHY_JUDGE_H
#define SELFATTN_TESTS_WHY_WHY_JUDGE_H

#include "why/plants.h"
#include "why/why_stacks.h"

#include <stdint.h>

/* What is shown: the output, or with the weights, or all from the scores on; all with q, k and v;
 * or what comes back to these, or to parameters. */
enum {
    SHOWS_OUTPUT,
    SHOWS_WEIGHTS,
    SHOWS_SCORES,
    SHOWN_WAYS,
    SHOWS_ROWS = SHOWN_WAYS,
    SHOWS_GRADIENTS,
    SHOWS_PARAMETERS
};

/* Counts it, where it changes what is shown, and whether it is named. */
void why_judge(const char *name, size_t how, const planting *of, uint64_t number, bool says,
               tally *t);
bool why_is_small(const ref_problem *p);

#endif
