#include "attn/engine/schedule.h"
#include "unit.h"

#include <pthread.h>
#include <sched.h>

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

static void *take_one(void *from)
{
    task t;
    return schedule_take(from, &t) ? from : NULL;
}

/* Who waits for parts that will not come is given nothing. */
static void ends_waiting(unit *u)
{
    schedule s;
    task t;
    pthread_t waiting;
    void *taken = &s;
    schedule_start(&s, 1, WAVE, 1, BLOCKS);
    CHECK(u, schedule_take(&s, &t) && !t.is_block);
    CHECK(u, pthread_create(&waiting, NULL, take_one, &s) == 0);
    while (atomic_load(&s.next) < 2)
        sched_yield();
    schedule_stop(&s);
    pthread_join(waiting, &taken);
    CHECK(u, taken == NULL);
}

UNIT(schedule)
{
    ends_waiting(u);
    gives_each_task_once(u);
    stops(u);
}
