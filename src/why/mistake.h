/* The mistakes that people make with attention: one table, for finding them (why.h), for help and
 * for the manual. A new one is a row in the file of its theme, mistakes_*.c, next to the function
 * that makes it; tests/why plants it in random problems. */
#ifndef SELFATTN_WHY_MISTAKE_H
#define SELFATTN_WHY_MISTAKE_H

#include "attn/engine/compare.h"
#include "why/attempt.h"

typedef struct mistake mistake;

/* Makes the row's mistake at its point; false without an error where that is not possible here. */
typedef bool (*blunder)(attempt *a, const mistake *row, err *e);

struct mistake {
    named named;
    blunder at[POINT_COUNT]; /* NULL: all goes well there */
    int with;                /* which input, how many decimals, …: what the functions take */
    int from;                /* of two inputs or stages, the other, whose numbers are taken */
    bool is_of_digits;       /* it changes digits of numbers, not which numbers are computed */
};

/* In a row: what makes the mistake at one point, and what it takes. */
#define AT(point, make, taken) .at[POINT_##point] = (make), .with = (taken)

extern const named_table MISTAKES; /* rows of `mistake`, which are those of the themes */
const mistake *mistake_at(size_t index);

extern const named_table WEIGHT_MISTAKES, SCALE_MISTAKES, SOFTMAX_MISTAKES, MASK_MISTAKES,
    BEND_MISTAKES, POSITION_MISTAKES, HEAD_MISTAKES, INPUT_MISTAKES, STAGE_MISTAKES, DIGIT_MISTAKES;

/* What no mistake of computing gives: a few numbers, each for itself, that were badly copied. */
extern const named_table MISPRINTS; /* rows of `named` */
/* The row, where that is likely; else NULL. */
const named *misprint_of(const comparison *c);

/* ---- what several themes share ---- */

/* Without the input `with`. */
bool blunder_leave_out(attempt *a, const mistake *row, err *e);

/* Without the setting `with`. */
bool blunder_forget(attempt *a, const mistake *row, err *e);

enum {
    FORGET_WINDOW,
    FORGET_LENGTHS,
    FORGET_ALIBI,
    FORGET_SOFTCAP,
    FORGET_ZERO,
    FORGET_LEARNED,
    FORGET_ROPE,
    FORGET_NORM,
    FORGET_OFFSET,
};

/* n more in the sum of exponentials. */
bool attempt_add_to_sum(attempt *a, size_t n, err *e);

/* With: a type for float formats, below; decimals + a way, below. */
void numbers_keep_as(tensor *t, int with);

enum { AS_AWAY = 0, AS_EVEN = 32, AS_CUT = 64, AS_KEEP_SUM = 96, AS_FLOAT16 = 128, AS_BFLOAT16 };

#endif
