#include "random/scalar.h"

#include "base/float_bits.h"

#include <stdint.h>

/* ---- logarithm ---- */

enum { MANTISSA_BITS = 23, PARTS = 16, PART_BITS = MANTISSA_BITS - 4 };

/* 1/c and ln c for a c near the middle of each 16th of 0.699 … 1.398. */
static const struct {
    double inverse, logarithm;
} PART[PARTS] = {
    {0x1.661ec79f8f3bep+0, -0x1.57bf7808caadep-2}, {0x1.571ed4aaf883dp+0, -0x1.2bef0a7c06ddbp-2},
    {0x1.49539f0f010bp+0, -0x1.01eae7f513a67p-2},  {0x1.3c995b0b80385p+0, -0x1.b31d8a68224e9p-3},
    {0x1.30d190c8864a5p+0, -0x1.6574f0ac07758p-3}, {0x1.25e227b0b8eap+0, -0x1.1aa2bc79c81p-3},
    {0x1.1bb4a4a1a343fp+0, -0x1.a4e76ce8c0e5ep-4}, {0x1.12358f08ae5bap+0, -0x1.1973c5a611cccp-4},
    {0x1.0953f419900a7p+0, -0x1.252f438e10c1ep-5}, {0x1p+0, 0x0p+0},
    {0x1.e608cfd9a47acp-1, 0x1.aa5aa5df25984p-5},  {0x1.ca4b31f026aap-1, 0x1.c5e53aa362eb4p-4},
    {0x1.b2036576afce6p-1, 0x1.526e57720db08p-3},  {0x1.9c2d163a1aa2dp-1, 0x1.bc2860d22477p-3},
    {0x1.886e6037841edp-1, 0x1.1058bc8a07ee1p-2},  {0x1.767dcf5534862p-1, 0x1.4043057b6ee09p-2},
};

/* x = 2ᵉ·z with z in the part around c: ln x = e·ln2 + ln c + ln(1 + r), r = z/c − 1. */
float scalar_log(float x)
{
    static const uint32_t FIRST = 0x3f330000u; /* 0.699 */
    uint32_t bits = float32_bits(x), above = bits - FIRST, whole = above & 0xff800000u;
    size_t part = above >> PART_BITS & (PARTS - 1);
    int exponent = (int)(whole >> MANTISSA_BITS) - (above >> 31 ? 512 : 0);
    double r = (double)float32_of_bits(bits - whole) * PART[part].inverse - 1, square = r * r;
    double high = PART[part].logarithm + exponent * 0x1.62e42fefa39efp-1;
    double sum = 0x1.5575b0be00b6ap-2 * r - 0x1.ffffef20a4123p-2;
    sum = -0x1.00ea348b88334p-2 * square + sum;
    return (float)(sum * square + (high + r));
}

/* ---- sine and cosine ---- */

/* r + r³·(s₁ + …), |r| ≤ π/4 */
static double sine_of(double r)
{
    double z = r * r, cube = r * z, high = 0x1.1107605230bc4p-7 - z * 0x1.994eb3774cf24p-13;
    return (r - cube * 0x1.555545995a603p-3) + cube * z * high;
}

/* 1 + r²·(c₁ + …) */
static double cosine_of(double r)
{
    double z = r * r, square = z * z;
    double high = z * 0x1.99343027bf8c3p-16 - 0x1.6c087e89a359dp-10;
    double low = 1 - z * 0x1.ffffffd0c621cp-2;
    return (low + square * 0x1.55553e1068f19p-5) + square * z * high;
}

/* The nearest quarter of a turn, and what is left: 2²⁴·2/π is rounded as a whole number. */
static int quarter_of(double x, double *left)
{
    int quarter = ((int)(x * 0x1.45f306dc9c883p+23) + 0x800000) >> 24;
    *left = x - quarter * 0x1.921fb54442d18p+0;
    return quarter;
}

static float turned(double r, int quarter)
{
    double value = quarter & 1 ? cosine_of(r) : sine_of(r);
    return (float)(quarter & 2 ? -value : value);
}

float scalar_sine(float x)
{
    double r;
    int quarter = quarter_of((double)x, &r);
    return turned(r, quarter);
}

float scalar_cosine(float x)
{
    double r;
    int quarter = quarter_of((double)x, &r);
    return turned(r, quarter + 1);
}
