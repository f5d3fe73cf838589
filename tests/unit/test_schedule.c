#include "attn/engine/schedule.h"
#include "unit.h"

enum { UNITS = 5, WAVE = 2, PARTS = 3, BLOCKS = 4 };

/* One worker takes each task once; a unit's blocks come after its parts, and blocks in order. */
static void gives_each_task_once(unit *u)
{
    schedule s;
    task t;
    size_t parts[UNITS] = {0}, blocks = 0;
    bool in_order = true;
    schedule_start(&s, UNITS, WAVE, PARTS, BLOCKS);
    while (schedule_take(&s, &t)) {
        if (t.is_block) {
            in_order = in_order && t.unit * BLOCKS + t.index == blocks && parts[t.unit] == PARTS;
            blocks++;
        } else {
            in_order = in_order && t.index == parts[t.unit];
            parts[t.unit]++;
        }
        schedule_done(&s, &t);
    }
    CHECK(u, in_order && blocks == UNITS * BLOCKS && parts[UNITS - 1] == PARTS);
}

static void stops(unit *u)
{
    schedule s;
    task t;
    schedule_start(&s, UNITS, WAVE, PARTS, BLOCKS);
    CHECK(u, schedule_take(&s, &t) && !t.is_block);
    schedule_done(&s, &t);
    schedule_stop(&s);
    CHECK(u, !schedule_take(&s, &t));
}

UNIT(schedule)
{
    gives_each_task_once(u);
    stops(u);
}
