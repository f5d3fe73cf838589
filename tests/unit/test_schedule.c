#include "attn/engine/schedule.h"
#include "base/fnv.h"
#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS = 5, WAVE = 2, PARTS = 3, BLOCKS = 4, SLOTS = 2 * WAVE };

/* One worker takes each task once; a unit's blocks come after its parts, and blocks in order. */
static void gives_each_task_once(unit *u)
{
    schedule s;
    task t;
    err e = {0};
    size_t parts[UNITS] = {0}, blocks = 0;
    bool in_order = true;
    CHECK(u, schedule_open(&s, SLOTS, 1, &e));
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
    schedule_close(&s);
}

static void stops(unit *u)
{
    schedule s;
    task t;
    err e = {0};
    CHECK(u, schedule_open(&s, SLOTS, 1, &e));
    schedule_start(&s, UNITS, WAVE, PARTS, BLOCKS);
    CHECK(u, schedule_take(&s, &t) && !t.is_block);
    schedule_done(&s, &t);
    schedule_stop(&s);
    CHECK(u, !schedule_take(&s, &t));
    schedule_start(&s, UNITS, WAVE, PARTS, BLOCKS);
    CHECK(u, schedule_take(&s, &t));
    schedule_close(&s);
}

static void *take_one(void *from)
{
    task t;
    return schedule_take(from, &t) ? from : NULL;
}

/* Who waits for parts that will not come is given nothing: while it looks, and while it sleeps. */
static void ends_waiting(unit *u, bool is_asleep)
{
    schedule s;
    task t;
    err e = {0};
    pthread_t waiting;
    void *taken = &s;
    CHECK(u, schedule_open(&s, 1, is_asleep ? THREADS_MOST : 2, &e));
    schedule_start(&s, 1, WAVE, 1, BLOCKS);
    CHECK(u, schedule_take(&s, &t) && !t.is_block);
    CHECK(u, pthread_create(&waiting, NULL, take_one, &s) == 0);
    while (atomic_load(is_asleep ? &s.has_news.sleepers : &s.next) < 1U + !is_asleep)
        sched_yield();
    schedule_stop(&s);
    pthread_join(waiting, &taken);
    CHECK(u, taken == NULL);
    schedule_close(&s);
}

typedef struct awaited {
    schedule *of;
    task by;
} awaited;

static void *await_turn(void *of)
{
    const awaited *one = of;
    return schedule_await(one->of, &one->by, 0) ? of : NULL;
}

/* Nor is who waits for a turn that a block before keeps. */
static void ends_waiting_for_a_turn(unit *u)
{
    schedule s;
    err e = {0};
    task first;
    awaited second = {.of = &s};
    pthread_t waiting;
    void *taken = &s;
    CHECK(u, schedule_open(&s, 1, THREADS_MOST, &e));
    schedule_start(&s, 1, WAVE, 0, BLOCKS);
    CHECK(u, schedule_take(&s, &first) && schedule_await(&s, &first, 0));
    CHECK(u, schedule_take(&s, &second.by));
    CHECK(u, pthread_create(&waiting, NULL, await_turn, &second) == 0);
    while (atomic_load(&s.has_news.sleepers) < 1)
        sched_yield();
    schedule_stop(&s);
    pthread_join(waiting, &taken);
    CHECK(u, taken == NULL);
    schedule_close(&s);
}

/* ---- workers that are none: each may stop anywhere, for as long as it likes ---- */

enum { WORKERS_MOST = 6, SLOTS_MOST = 6, UNITS_MOST = 12, TURNS_MOST = 2 };

typedef enum player_state { IS_FREE, WAITS, WORKS, HAS_TURN, HAS_ENDED } player_state;

typedef struct player {
    player_state is;
    task at;
    size_t turn; /* of its block, the next or the one that it has */
} player;

/* What is true of the slots is counted here once more, apart from the schedule. */
typedef struct game {
    size_t workers, units, parts, blocks, slots, turns;
    player by[WORKERS_MOST];
    size_t had[TURNS_MOST]; /* blocks */
    size_t packed[UNITS_MOST], computed[UNITS_MOST];
} game;

/* Whether the task may be begun now: a slot is packed only when the unit before is computed and
 * none of its blocks is at work; a block is computed only when its unit is packed and is the last
 * that was. */
static bool is_right(const game *g, const task *t)
{
    if (!t->is_block)
        return t->unit < g->slots || g->computed[t->unit - g->slots] == g->blocks;
    return g->packed[t->unit] == g->parts &&
           (t->unit + g->slots >= g->units || g->packed[t->unit + g->slots] == 0);
}

static bool no_other_is_there(const game *g, const task *t)
{
    for (size_t i = 0; i < g->workers; i++)
        if (g->by[i].is == WORKS && g->by[i].at.in == t->in && g->by[i].at.unit != t->unit)
            return false;
    return true;
}

/* A turn is its block's only when all blocks before have had it, and no one has it. */
static bool is_right_turn(const game *g, const player *p)
{
    for (size_t i = 0; i < g->workers; i++)
        if (g->by[i].is == HAS_TURN && g->by[i].turn == p->turn)
            return false;
    return g->had[p->turn] == p->at.unit * g->blocks + p->at.index;
}

typedef enum played { MOVED, STOOD, WENT_WRONG } played;

static played move(game *g, schedule *s, size_t worker)
{
    player *p = &g->by[worker];
    switch (p->is) {
    case IS_FREE:
        p->is = schedule_next(s, &p->at) ? WAITS : HAS_ENDED;
        return MOVED;
    case WAITS:
        if (atomic_load(p->at.needs) < p->at.count)
            return STOOD;
        if (!is_right(g, &p->at) || !no_other_is_there(g, &p->at))
            return WENT_WRONG;
        schedule_begin(s, &p->at);
        p->is = WORKS;
        p->turn = p->at.is_block ? 0 : g->turns;
        return MOVED;
    case HAS_TURN:
        g->had[p->turn]++;
        schedule_pass(s, &p->at, p->turn++);
        p->is = WORKS;
        return MOVED;
    case WORKS:
        if (p->turn < g->turns) {
            if (atomic_load(&s->passed[p->turn]) < schedule_before(s, &p->at))
                return STOOD;
            if (!is_right_turn(g, p))
                return WENT_WRONG;
            p->is = HAS_TURN;
            return MOVED;
        }
        (p->at.is_block ? g->computed : g->packed)[p->at.unit]++;
        schedule_done(s, &p->at);
        p->is = IS_FREE;
        return MOVED;
    case HAS_ENDED:
    default:
        return STOOD;
    }
}

static bool is_whole(const game *g)
{
    for (size_t i = 0; i < g->units; i++)
        if (g->packed[i] != g->parts || g->computed[i] != g->blocks)
            return false;
    for (size_t i = 0; i < g->turns; i++)
        if (g->had[i] != g->units * g->blocks)
            return false;
    return true;
}

static bool has_ended(const game *g)
{
    for (size_t i = 0; i < g->workers; i++)
        if (g->by[i].is != HAS_ENDED)
            return false;
    return true;
}

/* Lets workers of very different speeds move in turns that dice say. */
static bool plays_right(const game *sizes, size_t wave, uint64_t *dice)
{
    schedule s;
    err e = {0};
    game g = *sizes;
    size_t stood = 0, slowness[WORKERS_MOST];
    played was = MOVED;
    if (!schedule_open(&s, g.slots, 1, &e))
        return false;
    schedule_start(&s, g.units, wave, g.parts, g.blocks);
    for (size_t i = 0; i < g.workers; i++)
        slowness[i] = (size_t)1 << unit_random(dice) % 6;
    while (was != WENT_WRONG && stood < 1000 * g.workers && !has_ended(&g)) {
        size_t worker = unit_random(dice) % g.workers;
        if (unit_random(dice) % slowness[worker] != 0)
            continue;
        was = move(&g, &s, worker);
        stood = was == MOVED ? 0 : stood + 1;
    }
    schedule_close(&s);
    return was != WENT_WRONG && is_whole(&g);
}

/* 100,000 games of random sizes. */
static void keeps_slots_apart(unit *u)
{
    uint64_t dice = 44;
    size_t wrong = 0;
    for (size_t i = 0; i < 100000; i++) {
        size_t wave = 1 + unit_random(&dice) % (SLOTS_MOST / 2);
        game g = {.workers = 1 + unit_random(&dice) % WORKERS_MOST,
                  .units = 1 + unit_random(&dice) % UNITS_MOST,
                  .parts = 1 + unit_random(&dice) % 3,
                  .blocks = 1 + unit_random(&dice) % 4,
                  .turns = unit_random(&dice) % (TURNS_MOST + 1)};
        g.slots = 2 * wave < g.units ? 2 * wave : g.units;
        wrong += !plays_right(&g, wave, &dice);
    }
    CHECK(u, wrong == 0);
}

/* Every order of moves that there is, each state once. */
enum { STATES_MOST = 1 << 20 };

typedef struct explored {
    uint64_t *seen; /* fingerprints, 0: none */
    size_t states, wrong, ends;
} explored;

static uint64_t fingerprint(const game *g, size_t next)
{
    uint64_t hash = fnv_step(FNV_OF_NOTHING, (uint8_t)next);
    for (size_t i = 0; i < g->workers; i++) {
        const player *p = &g->by[i];
        bool has_task = p->is != IS_FREE && p->is != HAS_ENDED;
        hash = fnv_step(hash, (uint8_t)p->is);
        bool has_turns = p->is == WORKS || p->is == HAS_TURN;
        hash = fnv_step(hash, (uint8_t)(has_task * (1 + p->at.is_block)));
        hash = fnv_step(hash, (uint8_t)(has_turns * p->turn));
        hash = fnv_step(hash, (uint8_t)(has_task * (p->at.unit * 16 + p->at.index)));
    }
    for (size_t i = 0; i < g->units; i++)
        hash = fnv_step(hash, (uint8_t)(g->packed[i] * 16 + g->computed[i]));
    for (size_t i = 0; i < g->turns; i++)
        hash = fnv_step(hash, (uint8_t)g->had[i]);
    return hash | 1;
}

/* False where the state was met before. */
static bool is_new(explored *all, uint64_t state)
{
    size_t at = state % STATES_MOST;
    while (all->seen[at] != 0 && all->seen[at] != state)
        at = (at + 1) % STATES_MOST;
    if (all->seen[at] == state || all->states == STATES_MOST / 2)
        return false;
    all->seen[at] = state;
    all->states++;
    return true;
}

static void explore(explored *all, const game *from, schedule *s)
{
    schedule_slot before[SLOTS_MOST];
    size_t next = atomic_load(&s->next), moved = 0;
    if (!is_new(all, fingerprint(from, next)))
        return;
    atomic_size_t passed[SCHEDULE_TURNS];
    memcpy(before, s->slot, from->slots * sizeof before[0]);
    memcpy(passed, s->passed, sizeof passed);
    for (size_t i = 0; i < from->workers; i++) {
        game g = *from;
        played was = move(&g, s, i);
        all->wrong += was == WENT_WRONG;
        moved += was == MOVED;
        if (was == MOVED)
            explore(all, &g, s);
        memcpy(s->slot, before, from->slots * sizeof before[0]);
        memcpy(s->passed, passed, sizeof passed);
        atomic_store(&s->next, next);
    }
    if (moved > 0)
        return;
    all->ends++;
    all->wrong += !is_whole(from);
}

/* Few units, and each slot is used again. */
static void keeps_slots_apart_in_all_orders(unit *u)
{
    static const game SIZES[] = {
        {.workers = 2, .units = 8, .parts = 2, .blocks = 3, .slots = 2},
        {.workers = 3, .units = 6, .parts = 2, .blocks = 2, .slots = 4},
        {.workers = 3, .units = 4, .parts = 1, .blocks = 2, .slots = 2},
        {.workers = 3, .units = 4, .parts = 2, .blocks = 1, .slots = 2},
        {.workers = 4, .units = 4, .parts = 1, .blocks = 1, .slots = 2},
        {.workers = 2, .units = 4, .parts = 1, .blocks = 3, .slots = 2, .turns = 2},
        {.workers = 3, .units = 3, .parts = 1, .blocks = 2, .slots = 2, .turns = 1},
    };
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        schedule s;
        err e = {0};
        explored all = {.seen = calloc(STATES_MOST, sizeof all.seen[0])};
        if (!CHECK(u, all.seen != NULL && schedule_open(&s, SIZES[i].slots, 1, &e))) {
            free(all.seen);
            return;
        }
        schedule_start(&s, SIZES[i].units, SIZES[i].slots / 2, SIZES[i].parts, SIZES[i].blocks);
        explore(&all, &SIZES[i], &s);
        CHECK(u, all.wrong == 0);
        CHECK(u, all.ends > 0 && all.states < STATES_MOST / 2);
        schedule_close(&s);
        free(all.seen);
    }
}

UNIT_OF(schedule, "threads engine blocks")
{
    ends_waiting(u, false);
    ends_waiting(u, true);
    ends_waiting_for_a_turn(u);
    gives_each_task_once(u);
    stops(u);
    keeps_slots_apart(u);
    keeps_slots_apart_in_all_orders(u);
}
