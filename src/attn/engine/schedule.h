/* The tasks of a run in one order, for any number of threads.
 *
 * Units (see project.h) come in waves, each of as many as half of the slots hold: first all packing
 * of a wave, then all its blocks. Tasks are taken in this order. A block waits until its wave is
 * packed. Packing waits until the wave that had its slots is computed. A thread waits only for
 * tasks that other threads have taken, so the wait ends. */
#ifndef SELFATTN_ATTN_ENGINE_SCHEDULE_H
#define SELFATTN_ATTN_ENGINE_SCHEDULE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct schedule {
    size_t units, wave, parts, blocks; /* units in all and a wave; parts and blocks of a unit */
    atomic_size_t next, packed, computed;
    atomic_bool is_stopped;
} schedule;

typedef struct task {
    bool is_block;
    size_t unit, index; /* which block, or which part, of the unit */
} task;

/* Waves of `wave` units; each unit has so many parts to pack and blocks to compute. */
void schedule_start(schedule *s, size_t units, size_t wave, size_t parts, size_t blocks);

/* The next task, once what it stands on is there; false when there is none. */
bool schedule_take(schedule *s, task *t);
/* Every task that was taken is to be reported, unless the schedule is stopped. */
void schedule_done(schedule *s, const task *t);
/* No task is given after those that are taken by now. */
void schedule_stop(schedule *s);

#endif
