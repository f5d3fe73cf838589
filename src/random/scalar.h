/* Logarithm, sine and cosine in float32 as the GNU C library has them since version 2.28, and musl
 * since 1.2: the ARM Optimized Routines (github.com/ARM-software/optimized-routines, logf.c and
 * sincosf.c), whose intervals and coefficients these are. They compute in float64 and round once,
 * so that a fused multiply-add changes nothing: to the bit for every number that PyTorch asks. */
#ifndef SELFATTN_RANDOM_SCALAR_H
#define SELFATTN_RANDOM_SCALAR_H

/* 0 < x ≤ 1, normal. */
float scalar_log(float x);
/* 0 ≤ x ≤ 2π. */
float scalar_sine(float x);
float scalar_cosine(float x);

#endif
