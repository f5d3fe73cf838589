/* How well the stages of an attempt are the numbers that somebody got. */
#ifndef SELFATTN_WHY_FIT_H
#define SELFATTN_WHY_FIT_H

#include "why/why.h"

typedef struct fit {
    double error;   /* the largest difference, relative to its stage's greatest number */
    double tol;     /* the largest, in the same measure: no more digits were looked at */
    bool is_within; /* of the tolerance, everywhere */
} fit;

/* Stages of other shapes differ infinitely. */
fit fit_of(const why_question *of, const tensor got[STAGE_COUNT]);

/* Whether these are the same numbers but for rounding, in the stages that are asked about. */
bool fit_is_same(const why_question *of, const tensor a[STAGE_COUNT], const tensor b[STAGE_COUNT]);

int fit_digits(double error);

#endif
