#include "attn/engine/schedule.h"

#include <sched.h>


void schedule_start(schedule *s, size_t units, size_t wave, size_t parts, size_t blocks)
{
    *s = (schedule){.units = units, .wave = wave, .parts = parts, .blocks = blocks};
}

/* A task that can be done is given even when a later one has stopped the schedule meanwhile: it may
 * fail too, and would be the first. What the stopping one stood on was there before the stop, so
 * asking for the stop before the count misses none. */
static bool wait_for(schedule *s, atomic_size_t *count, size_t wanted)
{
    for (;;) {
        bool is_stopped = atomic_load(&s->is_stopped);
        if (atomic_load(count) >= wanted)
            return true;
        if (is_stopped)
            return false;
        sched_yield();
    }
}

/* The units up to the end of a wave. */
static size_t units_until(const schedule *s, size_t wave)
{
    size_t end = (wave + 1) * s->wave;
    return end < s->units ? end : s->units;
}

bool schedule_take(schedule *s, task *t)
{
    if (atomic_load(&s->is_stopped))
        return false;
    size_t of_unit = s->parts + s->blocks, number = atomic_fetch_add(&s->next, 1);
    if (number >= s->units * of_unit)
        return false;
    size_t wave = number / (s->wave * of_unit), first = wave * s->wave;
    size_t end = units_until(s, wave), within = number - first * of_unit;
    size_t packing = (end - first) * s->parts;
    t->is_block = within >= packing;
    if (t->is_block) {
        t->unit = first + (within - packing) / s->blocks;
        t->index = (within - packing) % s->blocks;
        return wait_for(s, &s->packed, end * s->parts);
    }
    t->unit = first + within / s->parts;
    t->index = within % s->parts;
    return wait_for(s, &s->computed, wave < 2 ? 0 : units_until(s, wave - 2) * s->blocks);
}

void schedule_done(schedule *s, const task *t)
{
    atomic_fetch_add(t->is_block ? &s->computed : &s->packed, 1);
}

void schedule_stop(schedule *s)
{
    atomic_store(&s->is_stopped, true);
}
