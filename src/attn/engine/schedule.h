/* The tasks of a run in one order, for any number of threads.
 *
 * Units (see project.h) come in waves, each of as many as half of the slots hold: first all packing
 * of a wave, then all its blocks. Tasks are taken in this order, and unit u lies in slot u mod
 * slots. A task waits for what it needs, which is counted in its slot alone:
 *
 * - a part of unit u is packed once the unit that had the slot before is computed, all its blocks:
 *   then ⌊u / slots⌋ · blocks are computed in this slot. No block of u is among them, since it
 *   waits for this part, and none of a later unit, since it waits for that.
 * - a block of unit u is computed once u is packed, all its parts: then (⌊u / slots⌋ + 1) · parts
 *   are packed in this slot. No part of a later unit is among them, since it waits for this block.
 *
 * So a slot that is being packed has no reader, and one that is read is not packed. A count over
 * all slots would not say so: what is done elsewhere would stand in for what is not yet done here.
 *
 * A task needs only tasks that come before it in the order, which other threads have taken, so the
 * wait ends. */
#ifndef SELFATTN_ATTN_ENGINE_SCHEDULE_H
#define SELFATTN_ATTN_ENGINE_SCHEDULE_H

#include "base/err.h"
#include "base/threads.h"

/* What blocks add to goes from each block to the next in turns, so that sums have the order of the
 * blocks: a block has its turn when all that come before it have passed theirs. */
enum { SCHEDULE_TURNS = 17 };

/* What lies in one slot, and what was done there. */
typedef struct schedule_slot {
    atomic_size_t packed, computed; /* parts and blocks, of all units that were here */
    atomic_size_t owner, readers;   /* the unit; its blocks that are at work */
} schedule_slot;

typedef struct schedule {
    size_t units, wave, parts, blocks; /* units in all and a wave; parts and blocks of a unit */
    atomic_size_t next;
    size_t slots;
    schedule_slot *slot;
    atomic_size_t passed[SCHEDULE_TURNS]; /* blocks that have had this turn */
    bell has_news;
} schedule;

typedef struct task {
    bool is_block;
    size_t unit, index; /* which block, or which part, of the unit */
    schedule_slot *in;
    const atomic_size_t *needs; /* may begin once this count is there */
    size_t count;
} task;

/* For waves of at most half as many units as there are slots, or of all; to be closed. */
bool schedule_open(schedule *s, size_t slots, size_t threads, err *e);
void schedule_close(schedule *s);
size_t schedule_memory(size_t slots);

/* Waves of `wave` units; each unit has so many parts to pack and blocks to compute. No thread is at
 * work. */
void schedule_start(schedule *s, size_t units, size_t wave, size_t parts, size_t blocks);

/* The next task, which is begun once what it needs is there; false when there is none.
 * Apart, for a test that lets virtual workers stop between them. */
bool schedule_next(schedule *s, task *t);
void schedule_begin(const schedule *s, const task *t);
/* The next task, begun; waits for what it needs. */
bool schedule_take(schedule *s, task *t);
/* A block's turn; false where the schedule is stopped. A turn that any block has, all have once,
 * and each of them passes it. The block before was taken earlier, so the wait ends. */
bool schedule_await(schedule *s, const task *t, size_t turn);
void schedule_pass(schedule *s, const task *t, size_t turn);
/* How many blocks come before this one. */
size_t schedule_before(const schedule *s, const task *t);
/* Every task that was taken is to be reported, unless the schedule is stopped. */
void schedule_done(schedule *s, const task *t);
/* No task is given after those that are taken by now. */
void schedule_stop(schedule *s);

#endif
