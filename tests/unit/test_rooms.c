/* A house of many rooms, and a room of many maps: what points to one of them stays right while
 * others are added. */
#include "trace/build.h"
#include "trace/nodes.h"
#include "unit.h"

enum { MANY = 1000 };

static void test_maps(unit *u)
{
    err e = {0};
    trace t = {0};
    builder b = {.trace = &t, .room = trace_add_room(&t, &e), .e = &e};
    const trace_map *first = map_add_number(&b, "0", STEP_INPUTS, 0);
    for (size_t i = 1; i < MANY; i++)
        map_add_number(&b, build_text(&b, "%zu", i), STEP_INPUTS, (double)i);
    CHECK(u, !b.failed && b.room->maps == MANY && map_named(b.room, "0") == first);
    const trace_map *last = map_named(b.room, "999");
    CHECK(u, map_number(&(map_cell){b.room, last, 0, 0, 0}) == 999);
    CHECK(u, map_index(b.room, last) == 999);
    /* One name is one map. */
    CHECK(u, map_add_number(&b, "999", STEP_INPUTS, 1) == last && b.room->maps == MANY);
    /* The next room's maps count on. */
    b.room = trace_add_room(&t, &e);
    CHECK(u, map_index(b.room, map_add_number(&b, "0", STEP_INPUTS, 0)) == MANY);
    trace_free(&t);
}

static void test_steps(unit *u)
{
    err e = {0};
    trace t = {0};
    builder b = {.trace = &t, .e = &e};
    for (size_t i = 0; i < MANY; i++) {
        b.room = trace_add_room(&t, &e);
        build_unshown_step(&b, STEP_MASK, "unshown");
        build_step(&b, STEP_SCALE, "scale");
        build_sentence(&b, "room %zu", i);
        build_step(&b, STEP_CAP, "cap");
    }
    CHECK(u, !b.failed && t.rooms == MANY && t.steps == 2 * MANY && trace_has_floors(&t));
    CHECK(u, t.step[0] == t.room[0]->step[0] && t.step[0]->count == 1);
    CHECK_TEXT(u, t.step[2 * MANY - 2]->item[0].text, "room 999");
    CHECK(u, t.room[MANY - 1]->number == MANY - 1 && t.room[MANY - 1]->steps == 2);
    trace_free(&t);
}

UNIT(rooms)
{
    test_maps(u);
    test_steps(u);
}
