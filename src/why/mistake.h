/* The mistakes that people make with attention: one table, for finding them (why.h), for help and
 * for the manual. A new one is a row in mistakes.c, which tests/why plants in random problems. */
#ifndef SELFATTN_WHY_MISTAKE_H
#define SELFATTN_WHY_MISTAKE_H

#include "why/attempt.h"

/* Makes a mistake at its point; false without an error where that is not possible here. */
typedef bool (*blunder)(attempt *a, int with, err *e);

typedef struct mistake {
    named named;
    blunder at[POINT_COUNT]; /* NULL: all goes well there */
    int with;                /* which input, how many decimals, …: what the functions take */
    bool is_of_digits;       /* it changes digits of numbers, not which numbers are computed */
} mistake;

extern const named_table MISTAKES; /* rows of `mistake` */
const mistake *mistake_at(size_t index);

#endif
