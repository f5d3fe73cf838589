/* What went wrong: which mistakes give the numbers that somebody got, those of MISTAKES in one
 * attention or in those of a stack, and in a stack those of STACK_MISTAKES. And of numbers in
 * another shape than they should have: which of ARRANGEMENTS, and which mistakes, give a shape like
 * theirs, and which of these give the numbers. */
#ifndef SELFATTN_WHY_WHY_H
#define SELFATTN_WHY_WHY_H

#include "base/text.h"
#include "compare/measure.h"
#include "why/mistake.h"
#include "why/ranking.h"
#include "why/stack_attempt.h"

/* How many mistakes can be made there. */
size_t why_mistakes(const why_question *of);

/* Mistakes are made in the whole of it; where none is found, in one layer; and where that finds
 * none, two of them together. False, with the error set, where memory is missing. */
bool why_find(why_answers *to, const why_question *of, err *e);

/* The ways in which right numbers come out in a wrong shape, for finding them, for help and for the
 * manual. */
extern const named_table ARRANGEMENTS;

typedef struct shape_answer {
    const named *arranged;       /* NULL: the mistake alone gives the shape */
    const named *made;           /* NULL: but for the shape all is right */
    const named *same[WHY_SAME]; /* others that give the same numbers */
    size_t same_count;
    double error;
    int digits;
} shape_answer;

typedef struct shape_answers {
    shape_answer answer[WHY_ANSWERS + 1]; /* the best first, and room for one more */
    size_t count;
    const named *shaped[WHY_ANSWERS]; /* the first ones that give the shape, alone */
    size_t shaped_count;              /* of all that do */
} shape_answers;

/* Of a question of one claim, whose numbers are of another shape than they should be; with mistakes
 * in all of it. False, with the error set, where memory is missing. */
bool why_shape_find(shape_answers *to, const why_question *of, err *e);

/* ---- missed_by_tolerance.c ---- */

/* What a tolerance proves: which mistakes of MISTAKES give other numbers that it lets pass.
 *
 * Mistakes that change no number on these inputs are not tolerance's fault, and those that change
 * only digits are what a tolerance is there for: neither is tried. */

/* All mistakes together are some hundred attempts, which take a second or so at this size. */
enum { OVERLOOKED_OPERATIONS = 20000000 };

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
    bool stands_in[STAND_INS]; /* other numbers in all stages, which pass */
    const mistake **made;      /* that pass, in the order of the table; owned */
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
