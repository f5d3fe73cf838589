/* The scale of heat maps: levels worked by hand, and colours whose order is seen in grey too. */
#include "base/mem.h"
#include "render/heat_map.h"
#include "unit.h"

#include <math.h>

static heat_scale scale_of(size_t count, const double *magnitude)
{
    heat_scale s = {0};
    for (size_t i = 0; i < count; i++)
        heat_scale_add(&s, magnitude[i]);
    return s;
}

static void test_levels(unit *u)
{
    const double some[] = {0, 1, (double)INFINITY, 1e-4, (double)NAN, 0.5};
    heat_scale s = scale_of(6, some);
    CHECK(u, s.least == 1e-4 && s.greatest == 1);
    CHECK(u, heat_level(&s, 0) == 0);
    CHECK(u, fabs(heat_level(&s, 1e-4) - 0.2) < 1e-12); /* the least is not a zero */
    CHECK(u, fabs(heat_level(&s, 1e-2) - 0.6) < 1e-12); /* halfway between by logarithms */
    CHECK(u, heat_level(&s, 1) == 1 && heat_level(&s, (double)INFINITY) == 1);
    s = scale_of(1, some + 1);
    CHECK(u, heat_level(&s, 1) == 1 && heat_level(&s, 0) == 0);
    s = scale_of(1, some);
    CHECK(u, s.greatest == 0 && heat_level(&s, 0) == 0 && heat_level(&s, (double)INFINITY) == 1);
}

/* Rec. 709 luma. */
static double grey_of(heat_color c)
{
    return 0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue;
}

static void test_colors(unit *u)
{
    size_t wrong = 0;
    for (int i = 0; i < 100; i++)
        wrong += grey_of(heat_color_of(i / 100.0)) > grey_of(heat_color_of((i + 1) / 100.0));
    CHECK(u, wrong == 0);
    CHECK(u, grey_of(heat_color_of(1)) - grey_of(heat_color_of(0)) > 128);
}

static void test_odd_rows(unit *u)
{
    const double magnitude[] = {0, 1, 1};
    heat_map map = {.rows = 3, .columns = 1, .magnitude = magnitude};
    map.scale = scale_of(3, magnitude);
    text out = {0};
    heat_map_add(&out, &map, false);
    CHECK_TEXT(u, text_string(&out), "| |\n|@|\n|@|\nblank: equal, @ 1.00e+00\n");
    text_free(&out);
}

/* What memory is missing for in one room is told, and not tried in the next. */
static void test_no_memory(unit *u)
{
    static char *words[] = {"1:"};
    static trace_map weights = {.name = "weights", .values = {.size = {1, 1, 1 << 22}}};
    static trace_map *map = &weights;
    static trace_room room = {.map = &map, .maps = 1};
    trace_room *both[] = {&room, &room};
    const trace house = {.room = both, .rooms = 2};
    const text_list keys = {.item = words, .count = 1};
    err e = {0};
    mem_limit(1);
    CHECK(u, !key_sums_check(&keys, &house, &e) && e.is_memory);
    mem_limit(SIZE_MAX);
}

UNIT(heat_map)
{
    test_levels(u);
    test_colors(u);
    test_odd_rows(u);
    test_no_memory(u);
}
