/* ln x, the project's own: the same operations everywhere, so the same bits. */
#ifndef SELFATTN_KERNELS_LOGARITHM_H
#define SELFATTN_KERNELS_LOGARITHM_H

/* 32 bits, exact times any exponent, and the rest. */
static const double LN2_32_BITS = 6.93147180369123816490e-01;
static const double LN2_REST = 1.90821492927058770002e-10;

/* 2/3 + 2z/5 + 2z²/7 + …, z ≤ 0.0295: the first term left out is below 2⁻⁶⁰ of the sum. Highest
 * power first. */
enum { LOGARITHM_TERMS = 12 };
static const double LOGARITHM_TERM[LOGARITHM_TERMS] = {2.0 / 25, 2.0 / 23, 2.0 / 21, 2.0 / 19,
                                                       2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11,
                                                       2.0 / 9,  2.0 / 7,  2.0 / 5,  2.0 / 3};

/* For normal x within 1 unit in the last place; −∞ for 0, x itself for +∞ and NaN. */
double logarithm(double x);

#endif
