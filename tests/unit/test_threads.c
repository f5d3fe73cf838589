#define _GNU_SOURCE /* sched_getcpu, cpu_set_t */
#include "base/threads.h"
#include "child.h"
#include "unit.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/* Systems that know less than this one: where a thread runs, or may run, is unknown. */
extern int __real_sched_getcpu(void);
extern int __wrap_sched_getcpu(void);
extern int __real_sched_getaffinity(pid_t of, size_t size, cpu_set_t *set);
extern int __wrap_sched_getaffinity(pid_t of, size_t size, cpu_set_t *set);

static atomic_bool knows_no_processor, knows_no_affinity;

int __wrap_sched_getcpu(void)
{
    return knows_no_processor ? -1 : knows_no_affinity ? 0 : __real_sched_getcpu();
}

int __wrap_sched_getaffinity(pid_t of, size_t size, cpu_set_t *set)
{
    return knows_no_affinity ? -1 : __real_sched_getaffinity(of, size, set);
}

/* What the workers share: units that are taken one by one, and which workers there were. */
typedef struct shared {
    atomic_size_t next, sum, calls;
    atomic_bool was_here[THREADS_MOST];
} shared;

enum { UNITS = 1000 };

static void work(void *context, size_t worker)
{
    shared *s = context;
    atomic_fetch_add(&s->calls, 1);
    atomic_store(&s->was_here[worker], true);
    for (size_t one = atomic_fetch_add(&s->next, 1); one < UNITS;
         one = atomic_fetch_add(&s->next, 1))
        atomic_fetch_add(&s->sum, one);
}

static void all_units_are_done_once(unit *u, size_t threads, size_t most)
{
    shared s = {0};
    size_t ran = threads_run(threads, work, &s), here = 0;
    for (size_t i = 0; i < THREADS_MOST; i++)
        here += atomic_load(&s.was_here[i]);
    CHECK(u, ran >= 1 && ran <= most);
    CHECK(u, atomic_load(&s.calls) == ran && here == ran);
    CHECK(u, atomic_load(&s.sum) == UNITS * (UNITS - 1) / 2);
}

/* Pieces of all sizes one after another: each is done once, by no more than it wanted. */
static void pieces_follow_each_other(unit *u)
{
    crew by;
    crew_open(&by, 4);
    for (size_t i = 0; i < 300; i++) {
        shared s = {0};
        size_t wanted = i * 7 % 6, ran = crew_run(&by, wanted, work, &s), here = 0;
        for (size_t j = 0; j < THREADS_MOST; j++)
            here += atomic_load(&s.was_here[j]);
        CHECK(u, ran >= 1 && ran <= (wanted < 1 ? 1 : wanted > 4 ? 4 : wanted));
        CHECK(u, here == ran && atomic_load(&s.calls) == ran);
        CHECK(u, atomic_load(&s.sum) == UNITS * (UNITS - 1) / 2);
    }
    CHECK(u, by.started <= 3);
    crew_close(&by);
}

static void small_pieces_start_nobody(unit *u)
{
    crew by;
    shared s = {0};
    crew_open(&by, 8);
    CHECK(u, crew_run(&by, 1, work, &s) == 1);
    CHECK(u, by.started == 0 && by.ran == 0);
    crew_close(&by);
}

/* Where threads may run, and how often one was elsewhere. */
typedef struct places {
    cpu_set_t allowed;
    int callers;
    atomic_size_t elsewhere;
} places;

/* Its thread comes to the caller's processor, and may leave it. */
static void come_to_caller(void *context, size_t worker)
{
    places *p = context;
    cpu_set_t callers;
    CPU_ZERO(&callers);
    CPU_SET((size_t)p->callers, &callers);
    if (worker > 0 && sched_setaffinity(0, sizeof callers, &callers) == 0)
        sched_setaffinity(0, sizeof p->allowed, &p->allowed);
}

static void look_around(void *context, size_t worker)
{
    places *p = context;
    cpu_set_t mine;
    if (worker > 0 &&
        (sched_getaffinity(0, sizeof mine, &mine) != 0 || CPU_EQUAL(&mine, &p->allowed) == 0))
        atomic_fetch_add(&p->elsewhere, 1);
}

/* A thread that leaves its caller's processor may run wherever it might before. */
static void threads_may_run_anywhere(unit *u)
{
    crew by;
    places p = {0};
    CHECK(u, sched_getaffinity(0, sizeof p.allowed, &p.allowed) == 0);
    crew_open(&by, 2);
    for (size_t i = 0; i < 50; i++) {
        p.callers = sched_getcpu();
        crew_run(&by, 2, come_to_caller, &p);
        crew_run(&by, 2, look_around, &p);
    }
    CHECK(u, atomic_load(&p.elsewhere) == 0);
    crew_close(&by);
}

/* A thread that can't leave its caller's processor, since there is no other, works there. */
static bool work_on_one_processor(void)
{
    crew by;
    places p = {0};
    CPU_SET((size_t)sched_getcpu(), &p.allowed);
    if (sched_setaffinity(0, sizeof p.allowed, &p.allowed) != 0)
        return false;
    crew_open(&by, 2);
    bool done = true;
    for (size_t i = 0; i < 50; i++)
        done = crew_run(&by, 2, look_around, &p) == 2 && done;
    crew_close(&by);
    return done && atomic_load(&p.elsewhere) == 0;
}

static void threads_may_have_one_processor(unit *u)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(!work_on_one_processor());
    CHECK(u, child_ended_well(child));
}

static void threads_need_not_know_processors(unit *u)
{
    for (int i = 0; i < 2; i++) {
        atomic_store(i == 0 ? &knows_no_processor : &knows_no_affinity, true);
        all_units_are_done_once(u, 2, 2);
        atomic_store(i == 0 ? &knows_no_processor : &knows_no_affinity, false);
    }
}

UNIT(threads)
{
    threads_may_have_one_processor(u);
    all_units_are_done_once(u, 0, 1);
    all_units_are_done_once(u, 1, 1);
    all_units_are_done_once(u, 7, 7);
    all_units_are_done_once(u, 100000, THREADS_MOST);
    pieces_follow_each_other(u);
    small_pieces_start_nobody(u);
    threads_may_run_anywhere(u);
    threads_need_not_know_processors(u);
}
