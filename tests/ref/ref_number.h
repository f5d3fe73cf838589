/* A number of the reference: its value in long double, and how far from it a computation in float32
 * or float64 may end.
 *
 * Every operation here stands for one operation of the program, rounded once: its own error is at
 * most half an ulp of what it gives, and the errors of its operands pass through it (running error
 * analysis: Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, 3.3). So `slip` is
 * a bound for any order of the same sum that takes as many steps, it grows with the sum of the
 * absolute terms of each chain, and it says by itself how much a large score shakes its weight. */
#ifndef SELFATTN_TESTS_REF_NUMBER_H
#define SELFATTN_TESTS_REF_NUMBER_H

#include <stdbool.h>

typedef struct ref_number {
    long double value, slip;
} ref_number;

/* A type that the program computes in. */
typedef struct precision {
    long double unit;   /* a rounding's relative error, and 1/256 more for long double's own */
    long double normal; /* the smallest normal number: weights below it are 0 by definition */
    long double tiny;   /* half of the smallest number: a rounding's error below `normal` */
} precision;

extern const precision FLOAT32, FLOAT64;

/* Long double has the 64 bits that the slips rely on: not so under valgrind, which has 53. */
bool number_is_wide(void);

ref_number number_exact(long double value);
/* A value that the program rounds `times` times before it uses it. */
ref_number number_rounded(const precision *p, long double value, int times);
ref_number number_add(const precision *p, ref_number a, ref_number b);
ref_number number_multiply(const precision *p, ref_number a, ref_number b);
ref_number number_divide(const precision *p, ref_number a, ref_number b);
ref_number number_root(const precision *p, ref_number a);
/* sum + a·b, rounded once: a step of a chain of fused multiply-adds */
ref_number number_chain(const precision *p, ref_number sum, ref_number a, ref_number b);
/* within 2 ulp, as src/kernels promises */
ref_number number_tanh(const precision *p, ref_number x);
/* exp(x − greatest), the difference taken without loss, within 1 ulp, 0 below the smallest normal
 * number */
ref_number number_exp(const precision *p, ref_number x, ref_number greatest);
/* part / whole for 0 ≤ part ≤ whole, 0 below the smallest normal number */
ref_number number_share(const precision *p, ref_number part, ref_number whole);

#endif
