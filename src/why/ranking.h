/* How well computed stages are the numbers that came from elsewhere; and which attempts gave them,
 * the best few and what they were. */
#ifndef SELFATTN_WHY_RANKING_H
#define SELFATTN_WHY_RANKING_H

#include "why/mistake.h"

/* The numbers of one stage that came from elsewhere. */
typedef struct claim {
    const char *name;     /* of the stage */
    const entry *numbers; /* NULL: not known */
    double tol;
    number_type stored; /* they were rounded to it at the end, which explains half a unit of theirs;
                           NUMBER_F64: to nothing that counts */
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

/* The first stage whose claim is nothing but NaN: its first number, and how many there are;
 * 0 where there is no such stage. NaNs that agree are not evidence of anything. */
size_t claims_nothing_but_nan(const claims *of, element *first);

/* Whether these are the same numbers but for rounding, in the stages that are asked about. */
bool fit_is_same(const claims *of, const tensor *a, const tensor *b);

/* Right numbers that differ in their last digits alone: within so many units in the last place of
 * their stage's greatest number, as float32 or float64 has it, before they were stored. */
typedef struct rounding {
    bool is_it;
    number_type computed;
    size_t units;
    number_type stored; /* float64: as they were */
} rounding;

/* Whether these are `right` but for that. A few wrong numbers among exact ones are not. */
rounding claims_rounding(const claims *of, const tensor *right);

/* Near enough to be no accident. */
bool fit_is_near(const fit *one);

int fit_digits(double error);
/* In which all numbers agree: no more than the tolerance looks at, as of numbers that were printed
 * in so many, unless they come nearer than any accident would. */
int fit_digits_told(const fit *one);

/* ---- the best ---- */

enum { WHY_SAME = 8, WHY_ANSWERS = 8, WHY_TOGETHER = 2, WHY_WHERE = 40 };
/* Mistakes that are known already, and all that are made at once. */
enum { WHY_SETTLED = 4, WHY_MADE = WHY_SETTLED + WHY_TOGETHER };

/* A mistake, and where in a stack it was made: "layer.1.cross", or "", which is wherever it can
 * be. */
typedef struct made_mistake {
    const named *row;
    char where[WHY_WHERE];
} made_mistake;

/* One answer: mistakes that were made together, and others that give the same numbers. */
typedef struct why_answer {
    made_mistake made[WHY_TOGETHER];
    size_t together;
    made_mistake same[WHY_SAME]; /* single ones */
    size_t same_count;
    double error; /* the largest difference, relative to its stage's greatest number */
    int digits;   /* as of fit_digits_told */
} why_answer;

typedef struct why_answers {
    why_answer answer[WHY_ANSWERS]; /* the best first */
    size_t count;
    bool tried_layers; /* of a stack, each alone, where no mistake in all of them was exact */
    bool tried_pairs;  /* where no single mistake was found */
    int right_digits;  /* in which the numbers agree with what is right */
    rounding rounding; /* they do in all that matter; where no mistake was found */
    bool
        is_right_back; /* the way back is, but for where it begins: at wrong results of the other */
    size_t nans; /* a stage is nothing but so many NaN, and no mistake was tried; 0: none is */
    element first_nan;
} why_answers;

typedef struct candidate {
    why_answer answer;
    tensor *computed; /* by claim; those that are asked about; owned */
    size_t order;     /* in which it was tried */
} candidate;

enum { CANDIDATES = 24 };

typedef struct ranking {
    const claims *of;
    fit right;                       /* how well the right numbers do */
    candidate found[CANDIDATES + 1]; /* one that is to go */
    size_t count, tried;
    bool has_exact; /* one is within the tolerance */
} ranking;

/* `right` is computed without mistakes. To be freed. */
void ranking_open(ranking *r, const claims *of, const tensor *right);
void ranking_free(ranking *r);

/* Looks at what was computed with these mistakes, in the order in which they are likely; takes it
 * where it is an answer. The error is set where memory is missing. */
void ranking_judge(ranking *r, tensor *computed, const made_mistake *made, size_t count, err *e);

/* The best first. */
void ranking_write(const ranking *r, why_answers *to);

#endif
