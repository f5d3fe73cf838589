/* What a tolerance proves: which mistakes of MISTAKES give other numbers that it lets pass.
 *
 * Mistakes that change no number on these inputs are not tolerance's fault, and those that change
 * only digits are what a tolerance is there for: neither is tried. */
#ifndef SELFATTN_WHY_MISSED_BY_TOLERANCE_H
#define SELFATTN_WHY_MISSED_BY_TOLERANCE_H

#include "attn/engine/run.h"
#include "base/text.h"
#include "compare/measure.h"
#include "why/ranking.h"

/* All mistakes together are some hundred attempts, which take a second or so at this size. */
enum { OVERLOOKED_OPERATIONS = 20000000 };

struct mistake;

typedef struct missed_question {
    const problem *problem;
    const kernels *with;
    size_t threads;
    claim claim[STAGE_COUNT]; /* what is right, as somebody recorded it; no numbers: not known */
    tolerance within[STAGE_COUNT];
    number_type type[STAGE_COUNT]; /* whose ulps are counted */
} missed_question;

/* What nobody computed: it takes the place of the numbers themselves, at any size. */
typedef enum stand_in { STAND_IN_ZEROS, STAND_IN_MEANS, STAND_IN_REVERSED, STAND_INS } stand_in;

typedef struct missed_by_tolerance {
    bool stands_in[STAND_INS];   /* other numbers in all stages, which pass */
    const struct mistake **made; /* that pass, in the order of the table; owned */
    size_t count, capacity;
    size_t tried;      /* that change a number */
    double operations; /* of one attempt; above OVERLOOKED_OPERATIONS nothing is tried */
    bool is_other;     /* what the problem gives is not what was recorded: nothing was tried */
} missed_by_tolerance;

/* False, with the error set, where memory is missing. To be freed in any case. */
bool missed_find(missed_by_tolerance *to, const missed_question *of, err *e);
void missed_free(missed_by_tolerance *to);

/* Lines of what passes on the numbers of `name`, or nothing; `but` is what was left out of it. */
void missed_write_stand_ins(const missed_by_tolerance *found, const char *name, text *out);
void missed_write_mistakes(const missed_by_tolerance *found, const char *name, const char *but,
                           text *out);

#endif
