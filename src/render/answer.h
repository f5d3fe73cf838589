/* A student's answer: whether it is right, and what it is where one slip alone gives it.
 *
 * A slip is claimed where no other gives the same number; of an answer that is 0 or 1, which
 * too much gives, none is. The page's rules are the same (exercise.js, isRight and slipOf). */
#ifndef SELFATTN_RENDER_ANSWER_H
#define SELFATTN_RENDER_ANSWER_H

#include "trace/trace.h"

/* Right is what is within half of the last decimal that is shown, in any notation, and a little
 * more: binary fractions can't hold decimals, and a student who computes more exactly than float32
 * may get another last decimal. Below 0 digits are those of a trace. */
bool answer_is_right(double answer, double computed, int digits);
/* How far from it a right answer to this number may be; it is finite. */
double answer_room(double computed, int digits);

/* The number of decimals, fewer than count, to which the answer is rightly rounded; 0: none. */
int answer_decimals(double answer, double computed, int digits);

/* The slip, as the name of its sentence (html_english.c), and what stands in its places besides
 * what was answered. */
typedef struct answer_slip {
    const char *sentence; /* NULL: none, or several */
    map_cell cell;        /* whose number that is; no map: none's */
    const char *done;     /* what is still to be done with it, or was done too early; or NULL */
    double meant;         /* the number, had the slip not been made; of a sign and a percentage */
} answer_slip;

/* False, with the error set, where memory is missing. */
bool answer_slip_find(answer_slip *to, const map_cell *at, double answer, int digits, err *e);

#endif
