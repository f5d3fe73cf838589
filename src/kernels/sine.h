/* Sine and cosine of a part of a full turn, the project's own: the same operations everywhere, so
 * the same bits. Here, since loops over it become vector code only where the compiler sees it. */
#ifndef SELFATTN_KERNELS_SINE_H
#define SELFATTN_KERNELS_SINE_H

/* Taylor's series to r¹⁷/17! and r¹⁶/16!, |r| ≤ π/4: what is left out is below 2⁻⁵⁸. With z = r²,
 *
 *     sin r = r + r·z·sine_terms(z),  cos r = 1 − z/2 + z²·cosine_terms(z) */
static inline double sine_terms(double z)
{
    static const double TERM[] = {
        1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
        1.0 / 362880,          -1.0 / 5040,          1.0 / 120,        -1.0 / 6};
    double sum = TERM[0];
    for (int i = 1; i < 8; i++)
        sum = sum * z + TERM[i];
    return sum;
}

static inline double cosine_terms(double z)
{
    static const double TERM[] = {
        1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
        1.0 / 40320,          -1.0 / 720,         1.0 / 24};
    double sum = TERM[0];
    for (int i = 1; i < 7; i++)
        sum = sum * z + TERM[i];
    return sum;
}

/* sin 2πu and cos 2πu, u from 0 to 1, each within 2⁻⁵¹. The nearest quarter is taken off, which
 * loses nothing; it swaps and turns signs. */
static inline void sine_and_cosine_of_turn(double u, double *sine, double *cosine)
{
    static const double TWO_PI = 0x1.921fb54442d18p+2;
    int nearest = (int)(u * 4 + 0.5);
    double r = (u - nearest * 0.25) * TWO_PI, z = r * r;
    double s = r + r * z * sine_terms(z), c = 1 - (z / 2 - z * z * cosine_terms(z));
    double first = nearest & 1 ? c : s, second = nearest & 1 ? s : c;
    *sine = nearest & 2 ? -first : first;
    *cosine = (nearest + 1) & 2 ? -second : second;
}

#endif
