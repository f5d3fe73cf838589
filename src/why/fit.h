/* How well computed stages are the numbers that somebody got. */
#ifndef SELFATTN_WHY_FIT_H
#define SELFATTN_WHY_FIT_H

#include "attn/engine/compare.h"

/* The numbers of one stage that somebody got. */
typedef struct claim {
    const char *name;     /* of the stage */
    const entry *numbers; /* NULL: not known */
    double tol;
} claim;

/* What goes with claims, the right numbers or those of an attempt, is a tensor for each of them. */
typedef struct claims {
    const claim *claim;
    size_t count;
    const known_elements *known; /* elements that are wrong for another reason; NULL: none */
} claims;

typedef struct fit {
    double error;   /* the largest difference, relative to its stage's greatest number */
    double tol;     /* the largest, in the same measure */
    bool is_within; /* of the tolerance, everywhere */
} fit;

/* Stages of other shapes differ infinitely. */
fit fit_of(const claims *of, const tensor *computed);

/* Whether any number is finite and not 0. Else many things leave the same: a buffer that nobody
 * wrote to, an overflow. */
bool claims_tell(const claims *of);

/* The first stage of which somebody got nothing but NaN: its first number, and how many there are;
 * 0 where there is no such stage. NaNs that agree are not evidence of anything. */
size_t claims_nothing_but_nan(const claims *of, element *first);

/* Whether these are the same numbers but for rounding, in the stages that are asked about. */
bool fit_is_same(const claims *of, const tensor *a, const tensor *b);

/* Near enough to be no accident. */
bool fit_is_near(const fit *one);

int fit_digits(double error);
/* In which all numbers agree: no more than the tolerance looks at, as of numbers that were printed
 * in so many, unless they come nearer than any accident would. */
int fit_digits_told(const fit *one);

#endif
