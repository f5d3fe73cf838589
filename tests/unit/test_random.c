/* Generators next to published vectors, and the project's own next to its definition. */
#include "unit.h"

#include "base/float_bits.h"
#include "kernels/philox.h"
#include "random/generator.h"
#include "random/torch.h"

#include <math.h>
#include <string.h>

static stream begin(const char *name, uint64_t seed)
{
    const named *row = named_find(&GENERATORS, name, strlen(name));
    return stream_begin((const generator *)(const void *)row, seed);
}

/* The known answers of the Random123 library, of the authors of the paper (kat_vectors). */
static void philox_gives_known_answers(unit *u)
{
    static const struct {
        uint32_t counter[4], key[2], wanted[4];
    } KNOWN[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++) {
        uint32_t got[4];
        philox(KNOWN[i].counter, KNOWN[i].key, got);
        CHECK(u, memcmp(got, KNOWN[i].wanted, sizeof got) == 0);
    }
}

/* The C++ standard, [rand.predef]: the 10000th value of mt19937, whose seed is 5489. */
static void mersenne_gives_the_standard_value(unit *u)
{
    mersenne m;
    uint32_t value = 0;
    mersenne_seed(&m, 5489);
    for (int i = 0; i < 10000; i++)
        value = mersenne_next(&m);
    CHECK(u, value == 4123659995u);
}

/* A point in the middle of the square has no direction: the next one is taken, which is (½, 0)
 * here, so that the normal numbers are 0 and ½·√(−2 ln ¼ / ¼) = 2·√ln 2. */
static void numpy_legacy_draws_again(unit *u)
{
    /* Words that are given as 2³¹ and 3·2³⁰: with the next one of 0 these are ½ and ¾. */
    static const uint32_t HALF = 0x80102204, THREE_QUARTERS = 0xcc11b236;
    const uint32_t words[] = {HALF, 0, HALF, 0, THREE_QUARTERS, 0, HALF, 0};
    draw d = {{LAW_NORMAL, 0, 1}, 0, DTYPE_F64, 2};
    double got[2];
    stream s = begin("numpy-legacy", 1);
    memcpy(s.twister.word, words, sizeof words);
    s.twister.used = 0;
    stream_draw(&s, &d, 0, 2, got);
    CHECK(u, got[0] == 0 && fabs(got[1] - 2 * sqrt(log(2))) < 1e-15);
    CHECK(u, s.twister.used == 8);
}

/* Counter and key 0 are the first block of matrix 0 under seed 0: the first known answer. */
static void own_numbers_are_as_defined(unit *u)
{
    static const uint64_t A = 0xe169c58d6627e8d5u, B = 0x9b00dbd8bc57ac4cu;
    draw d = {{LAW_UNIFORM, 0, 1}, 0, DTYPE_F64, 2};
    double got[2];
    stream s = begin("own", 0);
    stream_draw(&s, &d, 0, 2, got);
    CHECK(u, got[0] == (double)(A >> 11) * 0x1p-53 && got[1] == (double)(B >> 11) * 0x1p-53);
    d.type = DTYPE_F32;
    stream_draw(&s, &d, 0, 2, got);
    CHECK(u, got[0] == 0xe169c5 * 0x1p-24 && got[1] == 0x9b00db * 0x1p-24);
    d.law.kind = LAW_NORMAL;
    d.type = DTYPE_F64;
    stream_draw(&s, &d, 0, 2, got);
    double r = sqrt(-2 * log(((double)(A >> 11) + 1) * 0x1p-53));
    double angle = 2 * 3.14159265358979324 * ((double)(B >> 11) * 0x1p-53);
    CHECK(u, fabs(got[0] - r * cos(angle)) < 1e-14 && fabs(got[1] - r * sin(angle)) < 1e-14);
}

/* Whoever draws them, in runs of whatever length, they are the same; and each matrix has others. */
static void own_numbers_depend_on_their_place_alone(unit *u)
{
    enum { COUNT = 100 };
    static const law_kind KINDS[] = {LAW_UNIFORM, LAW_NORMAL};
    for (size_t k = 0; k < 2; k++) {
        draw d = {{KINDS[k], 0, 1}, 3, DTYPE_F64, COUNT}, other = d;
        double whole[COUNT], part[COUNT], neighbour[COUNT];
        stream s = begin("own", 0x123456789abcdefu);
        stream_draw(&s, &d, 0, COUNT, whole);
        stream_draw(&s, &d, 48, COUNT - 48, part + 48);
        for (size_t first = 0; first < 48; first += DRAW_RUN)
            stream_draw(&s, &d, first, DRAW_RUN, part + first);
        CHECK(u, memcmp(whole, part, sizeof whole) == 0);
        other.matrix = 4;
        stream_draw(&s, &other, 0, COUNT, neighbour);
        for (size_t i = 0; i < COUNT; i++)
            CHECK(u, whole[i] != neighbour[i]);
    }
}

/* Mean and variance of 2¹⁸ numbers, within six standard errors of what the law says. */
static void own_numbers_follow_their_law(unit *u)
{
    enum { RUN = 1024, RUNS = 256 };
    static const struct {
        law law;
        double mean, variance, fourth; /* central moment */
    } CASES[] = {{{LAW_UNIFORM, -1, 3}, 1, 16.0 / 12, 256.0 / 80},
                 {{LAW_NORMAL, 2, 0.5}, 2, 0.25, 3 * 0.0625}};
    for (size_t c = 0; c < 2; c++) {
        draw d = {CASES[c].law, 1, DTYPE_F64, RUN * RUNS};
        stream s = begin("own", 7);
        double n = RUN * RUNS, sum = 0, squares = 0, run[RUN];
        for (size_t i = 0; i < RUNS; i++) {
            stream_draw(&s, &d, i * RUN, RUN, run);
            for (size_t j = 0; j < RUN; j++) {
                double off = run[j] - CASES[c].mean;
                sum += off;
                squares += off * off;
            }
        }
        double variance = CASES[c].variance, spread = CASES[c].fourth - variance * variance;
        CHECK(u, fabs(sum / n) < 6 * sqrt(variance / n));
        CHECK(u, fabs(squares / n - variance) < 6 * sqrt(spread / n));
    }
}

static void counts_and_cosines_need_no_seed(unit *u)
{
    draw d = {{LAW_COUNT, 0, 0}, 0, DTYPE_F64, 100};
    double got[100];
    stream s = begin("own", 0);
    stream_draw(&s, &d, 0, 100, got);
    CHECK(u, got[0] == 0 && got[99] == 99);
    d.law.kind = LAW_COSINE;
    for (size_t first = 0; first < 4000000000u; first += 1000000 + first / 2) {
        stream_draw(&s, &d, first, 100, got);
        for (size_t i = 0; i < 100; i++)
            CHECK(u, fabs(got[i] - cos((double)(first + i))) < 1e-15);
    }
    d.law = (law){LAW_CONSTANT, 0.1, 0};
    d.type = DTYPE_F32;
    stream_draw(&s, &d, 0, 1, got);
    CHECK(u, got[0] == 0.1f);
}

static uint64_t add_bits(uint64_t hash, float value)
{
    return (hash ^ float32_bits(value)) * 0x100000001b3u;
}

/* All that PyTorch may ask, beside the C library's own (testdata/random/record_float.c). */
static void scalar_functions(unit *u)
{
    static const uint64_t BASIS = 0xcbf29ce484222325u;
    uint64_t log_hash = BASIS, sine_hash = BASIS, cosine_hash = BASIS;
    for (uint32_t i = 0; i < 1u << 24; i++) {
        float part = (float)i * 0x1p-24f, angle = (float)(6.283185307179586 * (double)part);
        log_hash = add_bits(log_hash, scalar_log(1 - part));
        sine_hash = add_bits(sine_hash, scalar_sine(angle));
        cosine_hash = add_bits(cosine_hash, scalar_cosine(angle));
    }
    CHECK(u, log_hash == 0x2591401d68724e51u);
    CHECK(u, sine_hash == 0x08eaf13aa2108c5du);
    CHECK(u, cosine_hash == 0x2c592117876fdca6u);
}

UNIT(random)
{
    scalar_functions(u);
    philox_gives_known_answers(u);
    mersenne_gives_the_standard_value(u);
    numpy_legacy_draws_again(u);
    own_numbers_are_as_defined(u);
    own_numbers_depend_on_their_place_alone(u);
    own_numbers_follow_their_law(u);
    counts_and_cosines_need_no_seed(u);
}
