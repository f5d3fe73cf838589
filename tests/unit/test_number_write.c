/* Writing numbers. What "shortest" and "nearest" mean is asked of the C library, by
 * tests/numbers/proof.h. */
#include "unit.h"

#include "io/number_parts.h"
#include "io/number_write.h"
#include "numbers/proof.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    STRIDE32 =
        10007, /* prime, so that all sorts of last bits come; `make numbers` takes them all */
    RANDOM_SHORTEST = 60000,
    RANDOM_FIXED = 20000
};
static const uint64_t SEED = 20240607;

/* Rows follow from the header's rules, and from the nearest decimals as published: Giulietti,
 * "The Schubfach way to render doubles", and the tests of Adams, "Ryū: fast
 * float-to-string conversion" (d2s, f2s). */
static const struct {
    double value;
    const char *text;
} SHORTEST64[] = {
    {0, "0"},
    {-0.0, "-0"},
    {1, "1"},
    {-4, "-4"},
    {0.1, "0.1"},
    {-2.5, "-2.5"},
    {1500, "1500"},
    {0.00001, "0.00001"},
    {0.000012345, "0.000012345"},
    {9.9e-6, "9.9e-6"},
    {1e-7, "1e-7"},
    {1.5e21, "1.5e21"},
    {1e15, "1000000000000000"},
    {9999999999999998, "9999999999999998"},
    {1e16, "1e16"},
    {12345678901234.5, "12345678901234.5"},
    {123456789.12345678, "123456789.12345678"},
    {1e23, "1e23"},
    {2e-323, "2e-323"},
    {4.9406564584124654e-324, "5e-324"},
    {2.2250738585072014e-308, "2.2250738585072014e-308"},
    {1.7976931348623157e308, "1.7976931348623157e308"},
    {-2.109808898695963e16, "-2.109808898695963e16"},
    {4.940656e-318, "4.940656e-318"},
    {1.18575755e-316, "1.18575755e-316"},
    {2.989102097996e-312, "2.989102097996e-312"},
    {9.0608011534336e15, "9060801153433600"},
    {4.708356024711512e18, "4.708356024711512e18"},
    {9.409340012568248e18, "9.409340012568248e18"},
    {2.98023223876953125e-8, "2.9802322387695312e-8"},
    {5.684341886080802e-14,
     "5.684341886080802e-14"}, /* 2^-44: …801e-14 is nearer, and reads as less */
    {9007199254740991, "9007199254740991"},
    {9007199254740992, "9007199254740992"},
};

static const struct {
    float value;
    const char *text;
} SHORTEST32[] = {
    {0, "0"},
    {-0.0f, "-0"},
    {1, "1"},
    {0.1f, "0.1"},
    {1.0f / 3, "0.33333334"},
    {1.4e-45f, "1e-45"},
    {9.8e-45f, "1e-44"},
    {-2.47e-43f, "-2.47e-43"},
    {6.0898e-39f, "6.0898e-39"},
    {1.1754942e-38f, "1.1754942e-38"},
    {1.1754944e-38f, "1.1754944e-38"},
    {1.9310392e-38f, "1.9310392e-38"},
    {1.993244e-38f, "1.993244e-38"},
    {1.00014165e-36f, "1.00014165e-36"},
    {7.0385309e-26f, "7.038531e-26"},
    {1e-5f, "0.00001"},
    {2.4414062e-4f, "0.00024414062"},
    {0.0010310042f, "0.0010310042"},
    {0.007812537f, "0.007812537"},
    {200, "200"},
    {4103.9003f, "4103.9004"},
    {8099.0312f, "8099.0312"},
    {3.0540412e5f, "305404.12"},
    {8388608, "8388608"},
    {16777216, "16777216"},
    {33554432, "33554432"},
    {3.355445e7f, "33554450"},
    {33554436, "33554436"},
    {67131496, "67131496"},
    {5.3399997e9f, "5339999700"},
    {8.999999e9f, "9000000000"},
    {3.4366717e10f, "34366720000"},
    {2.816025e14f, "281602500000000"},
    {1e16f, "1e16"},
    {2.8823261e17f, "2.882326e17"},
    {9.2234038e17f, "9.223404e17"},
    {4.6143165e18f, "4.6143166e18"},
    {9.223372e18f, "9.223372e18"},
    {1.1811161e19f, "1.1811161e19"},
    {1.18697724e20f, "1.18697725e20"},
    {4.7223665e21f, "4.7223665e21"},
    {1.5846085e29f, "1.5846086e29"},
    {3.4028235e38f, "3.4028235e38"},
    {INFINITY, "inf"},
    {-INFINITY, "-inf"},
    {NAN, "nan"},
    {-NAN, "nan"},
};

/* Halves go to the even digit, counted by hand; the rest is snprintf's. */
static const struct {
    double value;
    int digits;
    const char *fixed, *exponent; /* the latter with digits + 1 */
} ROUNDED[] = {
    {0.5, 0, "0", "5e-01"},
    {1.5, 0, "2", "2e+00"},
    {2.5, 0, "2", "2e+00"},
    {2500, 0, "2500", "2e+03"},
    {-3500, 0, "-3500", "-4e+03"},
    {0.125, 2, "0.12", "1.25e-01"},
    {0.375, 2, "0.38", "3.75e-01"},
    {0.96, 0, "1", "1e+00"},
    {9.996, 2, "10.00", "1.00e+01"},
    {0.004, 1, "0.0", "4.0e-03"},
    {0.06, 1, "0.1", "6.0e-02"},
    {-0.001, 2, "-0.00", "-1.00e-03"},
    {0, 3, "0.000", "0.000e+00"},
    {-0.0, 0, "-0", "-0e+00"},
    {6.0337e-6, 4, "0.0000", "6.0337e-06"},
    {1e100, 1,
     "100000000000000001590289110975991804683608085639452813897813275577478387721703810608134699858"
     "56815104.0",
     "1.0e+100"},
    {INFINITY, 2, "inf", "inf"},
    {-INFINITY, 2, "-inf", "-inf"},
    {NAN, 2, "nan", "nan"},
};

/* What proof.h says of the value, whose sign does not count. */
static bool writes_shortest(double value, bool single)
{
    return single ? proof_of_f32(float32_bits(fabsf((float)value)))
                  : proof_of_f64(float64_bits(fabs(value)));
}

static void check_published(unit *u)
{
    char text[NUMBER_TEXT];
    for (size_t i = 0; i < sizeof SHORTEST64 / sizeof SHORTEST64[0]; i++) {
        CHECK(u, number_write_f64(SHORTEST64[i].value, text) == strlen(SHORTEST64[i].text));
        CHECK_TEXT(u, text, SHORTEST64[i].text);
    }
    for (size_t i = 0; i < sizeof SHORTEST32 / sizeof SHORTEST32[0]; i++) {
        CHECK(u, number_write_f32(SHORTEST32[i].value, text) == strlen(SHORTEST32[i].text));
        CHECK_TEXT(u, text, SHORTEST32[i].text);
    }
}

/* The powers of ten on both sides of where plain notation ends. */
static void check_notation(unit *u)
{
    for (int power = -30; power <= 30; power++) {
        char source[16], wanted[64], got[NUMBER_TEXT];
        sprintf(source, "1e%d", power);
        if (power < -5 || power > 15)
            sprintf(wanted, "1e%d", power);
        else
            sprintf(wanted, "%.*f", power < 0 ? -power : 0, strtod(source, NULL));
        number_write_f64(strtod(source, NULL), got);
        CHECK_TEXT(u, got, wanted);
        number_write_f32(strtof(source, NULL), got);
        CHECK_TEXT(u, got, wanted);
    }
}

/* A stride through all float32; proof.h looks at both signs. */
static void check_stride32(unit *u)
{
    size_t wrong = 0;
    for (uint32_t bits = 0; bits < (uint32_t)1 << 31; bits += STRIDE32)
        wrong += !proof_of_f32(bits);
    CHECK(u, wrong == 0);
}

static void check_random64(unit *u)
{
    uint64_t state = SEED;
    size_t wrong = 0;
    for (int i = 0; i < RANDOM_SHORTEST; i++) {
        uint64_t random = unit_random(&state);
        double value = float64_of_bits(random);
        if (i % 4 == 1) /* few digits: where shorter candidates abound */
            value = (double)(random % 100000) / 1000;
        if (i % 4 == 2) /* subnormals */
            value = float64_of_bits(random >> 12 >> i % 52);
        if (isfinite(value) && value != 0)
            wrong += !writes_shortest(value, false);
    }
    if (!CHECK(u, wrong == 0))
        printf("  %zu values from seed %" PRIu64 "\n", wrong, SEED);
}

/* Powers of two, where the interval is lopsided, and the values on both sides of them. */
static void check_powers_of_two(unit *u)
{
    size_t wrong = 0;
    for (uint64_t bits = (uint64_t)1 << 52; bits < FLOAT64.infinity; bits += (uint64_t)1 << 52)
        for (uint64_t near = bits - 1; near <= bits + 1; near++)
            wrong += !writes_shortest(float64_of_bits(near), false);
    for (uint32_t bits = 1u << 23; bits < FLOAT32.infinity; bits += 1u << 23)
        for (uint32_t near = bits - 1; near <= bits + 1; near++)
            wrong += !writes_shortest((double)float32_of_bits(near), true);
    for (uint64_t bits = 1; bits < (uint64_t)1 << 52; bits <<= 1)
        wrong += !writes_shortest(float64_of_bits(bits), false);
    for (uint32_t bits = 1; bits <= 64; bits++) /* where the first candidates have one digit */
        wrong += !writes_shortest(float64_of_bits(bits), false) ||
                 !writes_shortest((double)float32_of_bits(bits), true);
    wrong += !writes_shortest(float64_of_bits(FLOAT64.infinity - 1), false);
    CHECK(u, wrong == 0);
}

static void check_rounded(unit *u)
{
    char text[NUMBER_FIXED_TEXT];
    for (size_t i = 0; i < sizeof ROUNDED / sizeof ROUNDED[0]; i++) {
        CHECK(u, number_write_fixed(ROUNDED[i].value, ROUNDED[i].digits, text) == strlen(text));
        CHECK_TEXT(u, text, ROUNDED[i].fixed);
        CHECK(u,
              number_write_exponent(ROUNDED[i].value, ROUNDED[i].digits + 1, text) == strlen(text));
        CHECK_TEXT(u, text, ROUNDED[i].exponent);
    }
}

static bool writes_as_in_c(double value, int decimals, int significant)
{
    char got[NUMBER_FIXED_TEXT], wanted[NUMBER_FIXED_TEXT];
    number_write_fixed(value, decimals, got);
    sprintf(wanted, "%.*f", decimals, value);
    bool right = strcmp(got, wanted) == 0;
    number_write_exponent(value, significant, got);
    sprintf(wanted, "%.*e", significant - 1, value);
    right &= strcmp(got, wanted) == 0;
    if (!right)
        printf("  %a with %d decimals, %d digits\n", value, decimals, significant);
    return right;
}

static void check_random_rounded(unit *u)
{
    uint64_t state = SEED;
    size_t wrong = 0;
    for (int i = 0; i < RANDOM_FIXED; i++) {
        uint64_t random = unit_random(&state), shape = unit_random(&state);
        double any = float64_of_bits(random),
               tie = ldexp((double)(random % 4096), -(int)(shape >> 60));
        int decimals = (int)(shape % (NUMBER_MAX_DIGITS + 1)),
            significant = 1 + (int)(shape / 64 % 17);
        wrong += isfinite(any) && !writes_as_in_c(any, decimals, significant);
        wrong += !writes_as_in_c(-tie, decimals % 8, significant % 5 + 1);
        wrong += !writes_as_in_c((double)float32_of_bits((uint32_t)(random % FLOAT32.infinity)),
                                 decimals, significant);
    }
    wrong += !writes_as_in_c(-float64_of_bits(FLOAT64.infinity - 1), NUMBER_MAX_DIGITS, 17);
    wrong += !writes_as_in_c(float64_of_bits(1), NUMBER_MAX_DIGITS, 17);
    if (!CHECK(u, wrong == 0))
        printf("  %zu values from seed %" PRIu64 "\n", wrong, SEED);
}

UNIT(number_write)
{
    check_published(u);
    check_notation(u);
    check_stride32(u);
    check_random64(u);
    check_powers_of_two(u);
    check_rounded(u);
    check_random_rounded(u);
}
