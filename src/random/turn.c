#include "random/turn.h"

#include <math.h>

/* 2π, and 1/2π as the sum of two */
static const double TWO_PI = 0x1.921fb54442d18p+2;
static const double TURN_HIGH = 0x1.45f306dc9c883p-3, TURN_LOW = -0x1.6b01ec5417056p-57;

/* Taylor's series to r¹⁷/17! and r¹⁶/16!, |r| ≤ π/4: what is left out is below 2⁻⁵⁸. */
static double sine_of(double r)
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

static double cosine_of(double r)
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

/* The quarter that is nearest is taken off, which loses nothing; it swaps and turns signs. */
void turn_part(double u, double *sine, double *cosine)
{
    int quarter = (int)(u * 4 + 0.5);
    double r = (u - quarter * 0.25) * TWO_PI, s = sine_of(r), c = cosine_of(r);
    double first = quarter & 1 ? c : s, second = quarter & 1 ? s : c;
    *sine = quarter & 2 ? -first : first;
    *cosine = (quarter + 1) & 2 ? -second : second;
}

double turn_cosine(double i)
{
    double turns = i * TURN_HIGH, lost = fma(i, TURN_HIGH, -turns) + i * TURN_LOW;
    double u = (turns - floor(turns)) + lost, sine, cosine;
    u -= floor(u);
    turn_part(u, &sine, &cosine);
    return cosine;
}
