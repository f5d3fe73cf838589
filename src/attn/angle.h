/* Sine, cosine and powers, the project's own: the same operations everywhere, so the same bits; of
 * libm only fma is used, which is exact.
 *
 * A frequency is base^(−2p/width) rounded to float64. An angle is position·frequency, exact; its
 * sine and cosine are within 1 ulp in float64, for positions to 2³¹ and frequencies to 1, since π/2
 * is taken off with 160 bits of it. */
#ifndef SELFATTN_ATTN_ANGLE_H
#define SELFATTN_ATTN_ANGLE_H

#include <stddef.h>

/* base^(−2p/width), base from 1. */
double angle_frequency(double base, size_t p, size_t width);

typedef struct turn {
    double cosine, sine;
} turn;

turn angle_turn(double position, double frequency);

#endif
