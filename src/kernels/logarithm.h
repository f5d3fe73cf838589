/* ln x, the project's own: the same operations everywhere, so the same bits. */
#ifndef SELFATTN_KERNELS_LOGARITHM_H
#define SELFATTN_KERNELS_LOGARITHM_H

/* For normal x within 1 unit in the last place; −∞ for 0, x itself for +∞ and NaN. */
double logarithm(double x);

#endif
