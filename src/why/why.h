/* What went wrong: which mistakes of MISTAKES give the numbers that somebody got. */
#ifndef SELFATTN_WHY_WHY_H
#define SELFATTN_WHY_WHY_H

#include "attn/compare.h"
#include "why/mistake.h"

/* Numbers that differ from what is right. */
typedef struct why_question {
    const problem *problem;
    const kernels *with;
    size_t threads;
    const entry *numbers[STAGE_COUNT]; /* of a stage; NULL: not known */
    double tol[STAGE_COUNT];
    const known_elements *known; /* elements that are wrong for another reason; NULL: none */
} why_question;

enum { WHY_SAME = 8, WHY_ANSWERS = 8, WHY_TOGETHER = 2 };

/* One answer: mistakes that were made together, and others that give the same numbers. */
typedef struct why_answer {
    const mistake *made[WHY_TOGETHER];
    size_t together;
    const mistake *same[WHY_SAME]; /* single ones */
    size_t same_count;
    double error; /* the largest difference, relative to its stage's greatest number */
    int digits;   /* that all numbers agree in; no more than the tolerance looks at */
} why_answer;

typedef struct why_answers {
    why_answer answer[WHY_ANSWERS]; /* the best first */
    size_t count;
    bool tried_pairs; /* where no single mistake was found */
    int right_digits; /* in which the numbers agree with what is right */
} why_answers;

/* False, with the error set, where memory is missing. */
bool why_find(why_answers *to, const why_question *of, err *e);

#endif
