/* Reading numbers, against the C library, points halfway between two values, and public test
 * data. */
#include "unit.h"

#include "io/number_parts.h"
#include "io/number_read.h"
#include "numbers/in_list.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANDOM_TEXTS = 60000, RANDOM_HALVES = 1000, MAX_LINE = 2 * NUMBER_MAX_TEXT };
static const uint64_t SEED = 20240607;

/* How much of the text each grammar takes as a number; −1: none begins there. */
static const struct {
    const char *text;
    int json, csv;
} GRAMMAR[] = {
    {"0", 1, 1},      {"-0", 2, 2},         {"12", 2, 2},    {"-12.5e+3,", 8, 8},
    {"1e5", 3, 3},    {"1E-05", 5, 5},      {"1e", 1, 1},    {"1e+", 1, 1},
    {"1.5e-x", 3, 3}, {"0.5.5", 3, 3},      {"01", 1, 1},    {"-01", 2, 2},
    {"+1", -1, 2},    {"+.5", -1, 3},       {".5", -1, 2},   {"-.5e1", -1, 5},
    {"5.", 1, 2},     {"5.e1", 1, 4},       {"0.", 1, 2},    {"1.,", 1, 2},
    {".", -1, -1},    {"-", -1, -1},        {"+", -1, -1},   {"", -1, -1},
    {"-.", -1, -1},   {".e1", -1, -1},      {"e1", -1, -1},  {"--1", -1, -1},
    {"+-1", -1, -1},  {"inf", -1, -1},      {"nan", -1, -1}, {"-Infinity", -1, -1},
    {"0x10", 1, 1},   {"1_000", 1, 1},      {"1 000", 1, 1}, {"1,5", 1, 1},
    {" 1", -1, -1},   {"\xd9\xa1", -1, -1}, {"1e5e5", 3, 3}, {"1e5.5", 3, 3},
};

/* The bits of each are plain from IEEE 754: m · 2^e put together by hand. */
static const struct {
    const char *text;
    uint32_t f32;
    uint64_t f64;
} BITS[] = {
    {"0", 0, 0},
    {"-0", 0x80000000, 0x8000000000000000},
    {"-0.0e5", 0x80000000, 0x8000000000000000},
    {"1", 0x3f800000, 0x3ff0000000000000},
    {"-1.5", 0xbfc00000, 0xbff8000000000000},
    {"+2.", 0x40000000, 0x4000000000000000},
    {".5", 0x3f000000, 0x3fe0000000000000},
    {"0.1", 0x3dcccccd, 0x3fb999999999999a},
    {"16777216", 0x4b800000, 0x4170000000000000},
    {"16777217", 0x4b800000, 0x4170000010000000}, /* 2^24 + 1: a tie in float32 */
    {"16777219", 0x4b800002, 0x4170000030000000},
    {"9007199254740993", 0x5a000000, 0x4340000000000000}, /* 2^53 + 1: a tie in float64 */
    {"9007199254740993.000000000000000000000000000001", 0x5a000000, 0x4340000000000001},
    {"9007199254740995", 0x5a000000, 0x4340000000000002},
    /* 2^56 + 8 + 1 and + 15, halves and more of a last place of 16 */
    {"72057594037927945", 0x5b800000, 0x4370000000000001},
    {"72057594037927951", 0x5b800000, 0x4370000000000001},
    {"0e99999999999", 0, 0},
    {"-0.000e-99999999999999999999999", 0x80000000, 0x8000000000000000},
    {"1e-99999999999", 0, 0},
    {"1e999999999999", 0x7f800000, 0x7ff0000000000000},
    {"-1e18446744073709551617", 0xff800000,
     0xfff0000000000000}, /* 2^64 + 1, were it cut to 64 bits */
};

/* From Paxson, "A program for testing IEEE decimal-binary conversion" (1991), tables 1 and 2
 * (least and greatest distances from halfway); Clinger, "How to read floating point numbers
 * accurately" (1990); reports of bugs in PHP, Java and gcc; and the ends of the ranges. The C
 * library says what they are. */
static const char *const HARD[] = {
    "5e+125",
    "69e+267",
    "999e-26",
    "7861e-34",
    "75569e-254",
    "928609e-261",
    "9210917e+80",
    "84863171e+114",
    "653777767e+273",
    "5232604057e-298",
    "27235667517e-109",
    "653532977297e-123",
    "3142213164987e-294",
    "46202199371337e-72",
    "231010996856685e-73",
    "9324754620109615e+212",
    "78459735791271921e+49",
    "272104041512242479e+200",
    "6802601037806061975e+198",
    "20505426358836677347e-221",
    "836168422905420598437e-234",
    "4891559871276714924261e+222",
    "9e-265",
    "85e-37",
    "623e+100",
    "3571e+263",
    "81661e+153",
    "920657e-23",
    "4603285e-24",
    "87575437e-309",
    "245540327e+122",
    "6138508175e+120",
    "83356057653e+193",
    "619534293513e+124",
    "2335141086879e+218",
    "36167929443327e-159",
    "609610927149051e-255",
    "3743626360493413e-165",
    "94080055902682397e-242",
    "899810892172646163e+283",
    "7120190517612959703e+120",
    "25188282901709339043e-252",
    "308984926168550152811e-52",
    "6372891218502368041059e+64",
    "5e-20",
    "67e+14",
    "985e+15",
    "7693e-42",
    "55895e-16",
    "996622e-44",
    "7038531e-32",
    "60419369e-46",
    "702990899e-20",
    "6930161142e-48",
    "25933168707e+13",
    "596428896559e+20",
    "3e-23",
    "57e+18",
    "789e-35",
    "2539e-18",
    "76173e+28",
    "887745e-11",
    "5382571e-37",
    "82381273e-35",
    "750486563e-38",
    "1e23",
    "8.5e22",
    "2.2250738585072011e-308",
    "2.2250738585072012e-308",
    "2.2250738585072014e-308",
    "4.9406564584124654e-324",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "3.4028234663852886e38",
    "3.4028235677973366e38",
    "3.4028235677973367e38",
    "1.1754943508222875e-38",
    "7.0064923216240854e-46",
    "7.0064923216240853e-46",
    "0.500000000000000166533453693773481063544750213623046875",
    "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203124",
    "1.00000000000000011102230246251565404236316680908203126",
    "18446744073709551615",
    "18446744073709551616",
    "9999999999999999999",
    "10000000000000000000",
    "0.0000000000000000000000000000000000000000000000000012345678901234567890123",
    "99999999999999999999999999999999999999e-400",
    "1e-342",
    "1e-343",
    "18446744073709551615e-343",
    "1e308",
    "1e309",
};

static uint64_t bits_without_sign(float value)
{
    return float32_bits(fabsf(value));
}

/* Reads as both types, and compares with these. */
static bool reads_as(const char *text, float f32, double f64)
{
    const char *end = text + strlen(text);
    float got32 = -1;
    double got64 = -1;
    bool fits32 = number_read_f32(text, end, &got32), fits64 = number_read_f64(text, end, &got64);
    bool right = in_list_f32(text, f32) && in_list_f64(text, f64) &&
                 float32_bits(got32) == float32_bits(f32) &&
                 float64_bits(got64) == float64_bits(f64) &&
                 fits32 == (bits_without_sign(f32) < FLOAT32.infinity) && fits64 == !isinf(f64);
    if (!right)
        printf("  %.900s\n  got    %08" PRIx32 " %016" PRIx64 "\n  wanted %08" PRIx32 " %016" PRIx64
               "\n",
               text, float32_bits(got32), float64_bits(got64), float32_bits(f32),
               float64_bits(f64));
    return right;
}

static bool reads_as_in_c(const char *text)
{
    return reads_as(text, strtof(text, NULL), strtod(text, NULL));
}

static int end_or_none(const char *end, const char *text)
{
    return end == NULL ? -1 : (int)(end - text);
}

static void check_grammar(unit *u)
{
    for (size_t i = 0; i < sizeof GRAMMAR / sizeof GRAMMAR[0]; i++) {
        const char *text = GRAMMAR[i].text, *end = text + strlen(text);
        bool json = CHECK(u, end_or_none(number_end_json(text, end), text) == GRAMMAR[i].json);
        bool csv = CHECK(u, end_or_none(number_end_csv(text, end), text) == GRAMMAR[i].csv);
        if (!json || !csv)
            printf("  text: %s\n", text);
    }
}

/* Nothing is read beyond the end that was given. */
static void check_ends(unit *u)
{
    double value;
    const char *text = "1234e5";
    CHECK(u, number_end_json(text, text + 5) == text + 4);
    CHECK(u, number_end_csv(text, text + 2) == text + 2);
    CHECK(u, number_read_f64(text, text + 2, &value) && value == 12);
    /* All of the text, in JSON's grammar, and no more than the type holds. */
    static const char *const NONE[] = {"1.5x", "+1", "1e999"};
    for (size_t i = 0; i < 3; i++)
        CHECK(u, !number_read_json(NONE[i], NONE[i] + strlen(NONE[i]), &value));
    CHECK(u, number_read_json(text, text + 6, &value) && value == 123400000);
}

static void check_texts(unit *u)
{
    for (size_t i = 0; i < sizeof BITS / sizeof BITS[0]; i++) {
        float f32 = float32_of_bits(BITS[i].f32);
        CHECK(u, reads_as(BITS[i].text, f32, float64_of_bits(BITS[i].f64)));
        CHECK(u, reads_as_in_c(BITS[i].text));
    }
    for (size_t i = 0; i < sizeof HARD / sizeof HARD[0]; i++)
        CHECK(u, reads_as_in_c(HARD[i]));
}

/* before, then `digit` `times` times, then after: in the C library's view, and this one's. */
static void check_long(unit *u, const char *before, char digit, int times, const char *after)
{
    static char text[2 * NUMBER_MAX_TEXT];
    int length = sprintf(text, "%s", before);
    memset(text + length, digit, (size_t)times);
    strcpy(text + length + times, after);
    CHECK(u, reads_as_in_c(text));
}

static void check_long_texts(unit *u)
{
    check_long(u, "0.", '0', 499, "1e500");
    check_long(u, "0.", '0', 4000, "123456789e4005");
    check_long(u, "-0.", '0', 4000, "17976931348623157e4309");
    check_long(u, "1", '0', 4000, "e-4000");
    check_long(u, "34028235677973366", '0', 4000, "e-3978");
    check_long(u, "0.", '0', 4090, "");
    check_long(u, "0.", '0', 4000, "1");
    check_long(u, "", '9', 4096, "e-4096");
    check_long(u, "", '9', 4096, "");
    check_long(u, "0.", '9', 4090, "");
    check_long(u, "9007199254740993.", '0', 4000,
               "1"); /* above halfway by a digit that is not kept */
    check_long(u, "9007199254740993.", '0', 4000, "");
    check_long(u, "16777217.", '0', 1000, "1");
    check_long(u, "1e-", '9', 4000, "");
    check_long(u, "1e", '0', 4000, "5");
    check_long(u, "0e", '9', 4000, "");
}

/* Random values with a random count of digits: from far too few to more than needed. */
static void random_value_text(uint64_t *state, char *text)
{
    uint64_t bits = unit_random(state), kind = unit_random(state);
    double value = float64_of_bits(bits);
    if (kind % 2 == 0)
        value = (double)float32_of_bits((uint32_t)bits);
    if (!isfinite(value))
        value = 0.5;
    sprintf(text, "%.*e", (int)(kind / 2 % 26), value);
}

/* Up to 40 random digits, a point somewhere, an exponent. */
static void random_digits_text(uint64_t *state, char *text)
{
    uint64_t shape = unit_random(state);
    int digits = 1 + (int)(shape % 40), point = (int)(shape / 64 % 41),
        range = shape >> 63 ? 700 : 100;
    for (int i = 0; i < digits; i++) {
        if (i == point)
            *text++ = '.';
        *text++ = (char)('0' + unit_random(state) % 10);
    }
    sprintf(text, "e%d", (int)(shape / 4096 % 1024) % range - range / 2);
}

static void check_random_texts(unit *u)
{
    uint64_t state = SEED;
    size_t wrong = 0;
    char text[128];
    for (int i = 0; i < RANDOM_TEXTS; i++) {
        random_value_text(&state, text);
        wrong += !reads_as_in_c(text);
        random_digits_text(&state, text);
        wrong += !reads_as_in_c(text);
    }
    if (!CHECK(u, wrong == 0))
        printf("  %zu texts from seed %" PRIu64 "\n", wrong, SEED);
}

/* The same digits, a little less than they say: the last one that is not 0 counted down, and
 * nines after it. The text is "d.ddde±x". */
static void slightly_below(const char *text, char *out)
{
    const char *exponent = strchr(text, 'e'), *last = exponent - 1;
    while (*last == '0' || *last == '.')
        last--;
    size_t length = (size_t)(last - text);
    memcpy(out, text, length);
    sprintf(out + length, "%c%s%s", *last - 1, length == 0 ? ".9999" : "9999", exponent);
}

static void slightly_above(const char *text, char *out)
{
    const char *exponent = strchr(text, 'e');
    sprintf(out, "%.*s0001%s", (int)(exponent - text), text, exponent);
}

/* All digits of `half`, which lies halfway between the values of two neighbouring bits, and
 * texts next to it. At the upper end, bits + 1 is infinity. */
static bool halfway_is_right(long double half, uint64_t bits, bool single)
{
    char text[3][900];
    sprintf(text[0], "%.767Le", half);
    slightly_below(text[0], text[1]);
    slightly_above(text[0], text[2]);
    const uint64_t wanted[3] = {bits + bits % 2, bits, bits + 1};
    bool right = true;
    for (int i = 0; i < 3; i++) {
        float f32 = single ? float32_of_bits((uint32_t)wanted[i]) : strtof(text[i], NULL);
        double f64 = single ? strtod(text[i], NULL) : float64_of_bits(wanted[i]);
        right &= reads_as(text[i], f32, f64);
    }
    return right;
}

/* Neighbours of these bits; where the next is infinity, IEEE 754 rounds as if there were one
 * more power of two. */
static bool halfway32(uint32_t bits)
{
    long double below = (long double)float32_of_bits(bits);
    long double step =
        (long double)float32_of_bits(bits) - (long double)float32_of_bits(bits - (bits > 0));
    if (bits + 1 < FLOAT32.infinity)
        step = (long double)float32_of_bits(bits + 1) - below;
    return halfway_is_right(below + step / 2, bits, true);
}

static bool halfway64(uint64_t bits)
{
    long double below = (long double)float64_of_bits(bits);
    long double step = below - (long double)float64_of_bits(bits - (bits > 0));
    if (bits + 1 < FLOAT64.infinity)
        step = (long double)float64_of_bits(bits + 1) - below;
    return halfway_is_right(below + step / 2, bits, false);
}

static void check_halfway(unit *u)
{
    /* Asked at run time, for valgrind computes long doubles as doubles, whatever float.h says. */
    volatile long double least = (long double)float64_of_bits(1), greatest = (long double)DBL_MAX;
    if (least / 2 == 0 || greatest + greatest / ((uint64_t)1 << 54) == greatest) {
        unit_skip(u, "points halfway between float64 values need a long double that is wider");
        return;
    }
    uint64_t state = SEED;
    size_t wrong = 0;
    for (int i = 0; i < RANDOM_HALVES; i++) {
        uint64_t bits = unit_random(&state);
        wrong += !halfway32((uint32_t)((bits >> 32) % FLOAT32.infinity));
        wrong += !halfway64(bits % FLOAT64.infinity);
        wrong += !halfway64(bits >> 12 >> i % 52); /* subnormals */
    }
    for (uint32_t power = 0; power < 255; power++)
        wrong += !halfway32(power << 23) || (power > 0 && !halfway32((power << 23) - 1));
    for (uint64_t power = 0; power < 2047; power += 7)
        wrong += !halfway64(power << 52) || (power > 0 && !halfway64((power << 52) - 1));
    wrong += !halfway32((uint32_t)FLOAT32.infinity - 1) || !halfway64(FLOAT64.infinity - 1);
    if (!CHECK(u, wrong == 0))
        printf("  %zu points from seed %" PRIu64 "\n", wrong, SEED);
}

/* Each line: the bits as float16, float32 and float64 in hexadecimal, and the text. */
static void check_public_file(unit *u, const char *name)
{
    FILE *file = unit_open_shared(u, name);
    if (file == NULL)
        return;
    static char line[MAX_LINE];
    size_t lines = 0, wrong = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        uint32_t f32;
        uint64_t f64;
        int begin = 0;
        line[strcspn(line, "\n")] = '\0';
        bool scanned =
            sscanf(line, "%*x %" SCNx32 " %" SCNx64 " %n", &f32, &f64, &begin) == 2 && begin > 0;
        const char *text = line + begin, *end = text + strlen(text);
        wrong += !scanned || number_end_csv(text, end) != end ||
                 !reads_as(text, float32_of_bits(f32), float64_of_bits(f64));
        lines++;
    }
    fclose(file);
    if (!CHECK(u, lines > 0 && wrong == 0))
        printf("  %zu of %zu lines of %s\n", wrong, lines, name);
}

static bool reads_nonfinite(const char *text, double *value)
{
    return number_read_nonfinite(text, text + strlen(text), value);
}

static void check_nonfinite(unit *u)
{
    static const char *const NOT[] = {"",     "+",  "-",      "in", "infinit", "infinityx",
                                      "nanx", "na", "nan(1)", "1",  "--inf",   " inf"};
    double value = 0;
    CHECK(u, reads_nonfinite("NaN", &value) && float64_bits(value) == 0x7ff8000000000000);
    CHECK(u, reads_nonfinite("-nan", &value) && float64_bits(value) == 0x7ff8000000000000);
    CHECK(u, reads_nonfinite("inf", &value) && value == (double)INFINITY);
    CHECK(u, reads_nonfinite("+INF", &value) && value == (double)INFINITY);
    CHECK(u, reads_nonfinite("-Inf", &value) && value == -(double)INFINITY);
    CHECK(u, reads_nonfinite("-Infinity", &value) && value == -(double)INFINITY);
    CHECK(u, reads_nonfinite("iNfInItY", &value) && value == (double)INFINITY);
    for (size_t i = 0; i < sizeof NOT / sizeof NOT[0]; i++)
        CHECK(u, !reads_nonfinite(NOT[i], &value));
}

UNIT(number_read)
{
    check_grammar(u);
    check_ends(u);
    check_texts(u);
    check_long_texts(u);
    check_random_texts(u);
    check_halfway(u);
    check_nonfinite(u);
    check_public_file(u, "parse-number-fxx/exhaustive-float16.txt");
    check_public_file(u, "parse-number-fxx/freetype-2-7.txt");
    check_public_file(u, "parse-number-fxx/google-wuffs.txt");
    check_public_file(u, "parse-number-fxx/lemire-fast-float.txt");
    check_public_file(u, "parse-number-fxx/more-test-cases.txt");
    check_public_file(u, "parse-number-fxx/tencent-rapidjson.txt");
}
