/* Numbers as the trace shows them. Those of the softmax are seed 001's, as it prints them; the
 * others follow from the rules in render/number_text.h by hand. */
#include "unit.h"

#include "render/number_text.h"

#include <math.h>
#include <string.h>

static const struct {
    double value;
    int digits;
    const char *text;
} NUMBERS[] = {
    {0, -1, "0"},
    {-0.0, -1, "0"},
    {7, -1, "7"},
    {-30, -1, "-30"},
    {1200, -1, "1200"},
    {7.8f, -1, "7.8"},
    {7.7999997, -1, "7.8"},
    {2.00001, -1, "2"},
    {6.3379e-02, -1, "0.0634"},
    {6.0337e-06, -1, "6.0337e-06"},
    {2.95391e-04, -1, "2.9539e-04"},
    {-6.03366e-06, -1, "-6.0337e-06"},
    {0.001, -1, "0.001"},
    {0.001f, -1, "0.001"},
    {0.00099999999, -1, "0.001"},
    {0.00099, -1, "9.9e-04"},
    {1e-05, -1, "1e-05"},
    {1e-300, -1, "1e-300"},
    {9999999, -1, "9999999"},
    {1e7, -1, "1e+07"},
    {-16777216, -1, "-1.6777e+07"},
    {INFINITY, -1, "inf"},
    {-INFINITY, -1, "-inf"},
    {NAN, -1, "nan"},
    {7.8, 2, "7.80"},
    {0.98201, 0, "1"},
    {6.0337e-06, 4, "0.0000"},
    {-6.0337e-06, 4, "0.0000"},
    {-0.4, 0, "0"},
    {-0.5625, 2, "-0.56"},
    {12345678.25, 1, "12345678.2"},
    {-INFINITY, 3, "-inf"},
    {0.14, NUMBER_TEXT_KEEPS, "0.14"},
    {0.14f, NUMBER_TEXT_KEEPS, "0.14"},
    {0.14000001, NUMBER_TEXT_KEEPS, "0.1400"},
    {7.7999997, NUMBER_TEXT_KEEPS, "7.8000"},
    {-2.00001, NUMBER_TEXT_KEEPS, "-2.0000"},
    {2, NUMBER_TEXT_KEEPS, "2"},
    {-0.0, NUMBER_TEXT_KEEPS, "0"},
    {6.1e-06f, NUMBER_TEXT_KEEPS, "6.1e-06"},
    {6.10000001e-06, NUMBER_TEXT_KEEPS, "6.1000e-06"},
};

static void check_numbers(unit *u)
{
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++) {
        char got[NUMBER_FIXED_TEXT];
        size_t length = number_text_write(NUMBERS[i].value, NUMBERS[i].digits, got);
        CHECK_TEXT(u, got, NUMBERS[i].text);
        CHECK(u, length == strlen(got));
    }
}

/* Without their points; what has an exponent, or is too large for a script, is refused. */
static void check_units(unit *u)
{
    static const struct {
        double value;
        int digits;
        bool is_there;
        uint64_t units;
    } UNITS[] = {
        {0, -1, true, 0},
        {-0.0, -1, true, 0},
        {1.25, -1, true, 12500},
        {-1.25, -1, true, 12500},
        {0.06337894, -1, true, 634},
        {9999999, -1, true, 99999990000},
        {0.00099, -1, false, 0},
        {1e7, -1, false, 0},
        {INFINITY, -1, false, 0},
        {NAN, 2, false, 0},
        {7.8, 2, true, 780},
        {-6.0337e-06, 4, true, 0},
        {2.5, 0, true, 2},
        {2251799813685247, 0, true, 2251799813685247},
        {2251799813685248, 0, false, 0},
        {22517998136.85248, 5, false, 0},
    };
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
        uint64_t units = 0;
        bool is_there = number_text_units(UNITS[i].value, UNITS[i].digits, &units);
        CHECK(u, is_there == UNITS[i].is_there);
        CHECK(u, !is_there || units == UNITS[i].units);
    }
}

static void check_operands(unit *u)
{
    text out = {0};
    number_text_add_operand(&out, 2.5, -1);
    number_text_add_operand(&out, -1, -1);
    number_text_add_operand(&out, -INFINITY, -1);
    CHECK_TEXT(u, text_string(&out), "2.5(-1)(-inf)");
    text_free(&out);
}

/* A column: all its numbers have as many decimals as the one that needs most, so that their points
 * stand below each other; one with an exponent ends where the column ends. */
static void check_aligned(unit *u)
{
    static const double COLUMN[] = {4, -16.25, 6.0337e-06, -INFINITY, 0.5};
    text out = {0};
    number_width width = {0};
    for (size_t i = 0; i < 5; i++)
        number_width_add(&width, COLUMN[i], -1);
    for (size_t i = 0; i < 5; i++) {
        number_text_add_aligned(&out, COLUMN[i], -1, &width);
        text_add_string(&out, "|\n");
    }
    CHECK(u, number_width_columns(&width) == 10);
    CHECK_TEXT(u, text_string(&out),
               "      4.00|\n"
               "    -16.25|\n"
               "6.0337e-06|\n"
               "      -inf|\n"
               "      0.50|\n");
    text_free(&out);
}

UNIT(render_number)
{
    check_numbers(u);
    check_units(u);
    check_operands(u);
    check_aligned(u);
}
