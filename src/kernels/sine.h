/* Sine and cosine of a part of a full turn, the project's own: the same operations everywhere, so
 * the same bits. Here, since loops over it become vector code only where the compiler sees it. */
#ifndef SELFATTN_KERNELS_SINE_H
#define SELFATTN_KERNELS_SINE_H

/* Taylor's series to r¹⁷/17! and r¹⁶/16!, |r| ≤ π/4: what is left out is below 2⁻⁵⁸. */
static inline double sine_series(double r)
{
    double z = r * r, sum = 1.0 / 355687428096000;
    sum = sum * z - 1.0 / 1307674368000;
    sum = sum * z + 1.0 / 6227020800;
    sum = sum * z - 1.0 / 39916800;
    sum = sum * z + 1.0 / 362880;
    sum = sum * z - 1.0 / 5040;
    sum = sum * z + 1.0 / 120;
    sum = sum * z - 1.0 / 6;
    return r + r * z * sum;
}

static inline double cosine_series(double r)
{
    double z = r * r, sum = 1.0 / 20922789888000;
    sum = sum * z - 1.0 / 87178291200;
    sum = sum * z + 1.0 / 479001600;
    sum = sum * z - 1.0 / 3628800;
    sum = sum * z + 1.0 / 40320;
    sum = sum * z - 1.0 / 720;
    sum = sum * z + 1.0 / 24;
    return 1 - (z / 2 - z * z * sum);
}

/* sin 2πu and cos 2πu, u from 0 to 1, each within 2⁻⁵¹. The nearest quarter is taken off, which
 * loses nothing; it swaps and turns signs. */
static inline void sine_and_cosine_of_turn(double u, double *sine, double *cosine)
{
    static const double TWO_PI = 0x1.921fb54442d18p+2;
    int nearest = (int)(u * 4 + 0.5);
    double r = (u - nearest * 0.25) * TWO_PI, s = sine_series(r), c = cosine_series(r);
    double first = nearest & 1 ? c : s, second = nearest & 1 ? s : c;
    *sine = nearest & 2 ? -first : first;
    *cosine = (nearest + 1) & 2 ? -second : second;
}

#endif
