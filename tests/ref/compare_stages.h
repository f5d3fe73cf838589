/* One problem, computed by the program and by the reference. */
#ifndef SELFATTN_TESTS_REF_COMPARE_STAGES_H
#define SELFATTN_TESTS_REF_COMPARE_STAGES_H

#include "ref/ref_attention.h"

/* True where every stage is what the reference has, within its slip; else what was wrong first,
 * with both values. */
bool compare_stages(const ref_problem *p, char *wrong, size_t size);

#endif
