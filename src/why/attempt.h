/* One attention computed with mistakes in it.
 *
 * There is no second engine. What is asked can be changed before it is computed; later numbers are
 * changed by computing up to them, altering them where they lie, and asking the same engine for the
 * rest, as a problem that begins there: q, k and v are given; scores S are q = S and k = the unit
 * matrix; masked scores M are q = k = 0 and M as the bias. After the weights only two products are
 * left, which are the engine's own too. */
#ifndef SELFATTN_WHY_ATTEMPT_H
#define SELFATTN_WHY_ATTEMPT_H

#include "attn/engine/run.h"

/* The numbers of an attempt: the stages that were computed, and matrices that stand in their
 * place. */
enum { ATTEMPT_MATRICES = 3 * INPUT_COUNT };

/* Where a mistake is made: in what is asked, or once a stage is computed, in its numbers. */
typedef enum point {
    POINT_ASKED,
    POINT_ROWS, /* q, k and v: to be changed as inputs of the problem, which are what they are */
    POINT_SCORES,
    POINT_MASKED,
    POINT_WEIGHTS, /* before they are rounded by hand, where that is asked for */
    POINT_CONTEXT,
    POINT_OUTPUT,
    POINT_COUNT
} point;

typedef struct attempt attempt;
struct attempt {
    const attempt *right; /* without mistakes, with all its stages; NULL in itself */
    problem problem;      /* what is asked from here on */
    const kernels *with;
    size_t threads;
    bool keeps_weighted; /* next to which every n_q × n_k stage is small */
    struct problem begun;
    plan plan;                 /* of `begun`, what was asked at first */
    tensor stage[STAGE_COUNT]; /* no data: not there */
    tensor made[ATTEMPT_MATRICES];
    size_t made_count;
    point now;    /* where mistakes are being made */
    entry turned; /* where rows stand, which a mistake moves; its numbers are in `made` */
};

/* A stage with all its axes, to be read and altered. */
tensor attempt_stage(const attempt *a, stage_id id);
/* Values as they are summed, those of a cache and appended rows among them: b × g × n_k × d_v. */
tensor attempt_values(const attempt *a);

/* A matrix that lasts as long as the attempt, numbers not set. NULL where memory is missing. */
tensor *attempt_matrix(attempt *a, dtype type, int rank, const size_t *size, err *e);
/* A copy, in C order. */
tensor *attempt_copy(attempt *a, const tensor *of, err *e);

struct mistake;

/* Nothing is computed yet. `weighted` is kept only where it is asked for; `right` may be NULL. */
void attempt_open(attempt *a, const problem *asked, const kernels *with, size_t threads,
                  bool keeps_weighted, const attempt *right);

/* Computes with these mistakes, none for the right numbers. False without an error where one of
 * them can't be made in this problem; an error means that memory is missing. To be freed in any
 * case, and not to be moved. */
bool attempt_make(attempt *a, const struct mistake *const *made, size_t count, err *e);
void attempt_free(attempt *a);

/* What comes after the weights, once they or the context were altered: products of the engine. */

/* Weights in place, b × h × n_q × n_k, to so many decimals; false without an error where rows that
 * are to sum to 1 are far from it. */
bool rest_round(attempt *a, int decimals, bool keeps_sum, tensor *weights, err *e);

#endif
