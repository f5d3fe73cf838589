/* What went wrong: which mistakes of MISTAKES give the numbers that somebody got. */
#ifndef SELFATTN_WHY_WHY_H
#define SELFATTN_WHY_WHY_H

#include "why/mistake.h"
#include "why/ranking.h"

/* Numbers that differ from what is right. */
typedef struct why_question {
    const problem *problem;
    const kernels *with;
    size_t threads;
    claim claim[STAGE_COUNT];    /* by stage_id */
    const known_elements *known; /* elements that are wrong for another reason; NULL: none */
} why_question;

/* Numbers that somebody got; NULL: not known. */
void why_question_claim(why_question *q, stage_id id, const entry *numbers, double tol);
claims why_question_claims(const why_question *q);

/* False, with the error set, where memory is missing. */
bool why_find(why_answers *to, const why_question *of, err *e);

#endif
