/* Units that threads make at once and hand over in their order. */
#include "io/in_order.h"

#include "unit.h"

#include <stdatomic.h>
#include <string.h>

enum { UNITS = 1000, NEVER = UNITS };

typedef struct factory {
    size_t maker[UNITS]; /* 1 + the worker that made the unit */
    atomic_size_t makings[UNITS];
    size_t order[UNITS], handed_over;
    size_t last; /* unit that is handed over, or NEVER */
    bool is_well;
} factory;

/* Units take different times, so that later ones are often made first. */
static void make(void *context, size_t worker, size_t number)
{
    factory *f = context;
    for (volatile size_t i = 0; i < number * 7919 % 1000; i++)
        ;
    f->maker[number] = worker + 1;
    atomic_fetch_add(&f->makings[number], 1);
}

static bool hand_over(void *context, size_t worker, size_t number)
{
    factory *f = context;
    f->is_well = f->is_well && f->maker[number] == worker + 1;
    f->order[f->handed_over++] = number;
    return number != f->last;
}

static void are_handed_over_in_order(unit *u, size_t threads, size_t last)
{
    static factory f;
    const ordered_work work = {UNITS, make, hand_over};
    memset(&f, 0, sizeof f);
    f.is_well = true;
    f.last = last;
    size_t wanted = last == NEVER ? UNITS : last + 1;
    CHECK(u, threads_run_in_order(threads, &work, &f) == (last == NEVER));
    CHECK(u, f.is_well && f.handed_over == wanted);
    for (size_t i = 0; i < f.handed_over && f.is_well; i++)
        f.is_well = f.order[i] == i && atomic_load(&f.makings[i]) == 1;
    for (size_t i = 0; i < UNITS && f.is_well; i++)
        f.is_well = atomic_load(&f.makings[i]) <= 1;
    CHECK(u, f.is_well);
}

UNIT(in_order)
{
    static const size_t THREADS[] = {0, 1, 2, 3, 7, 1000};
    for (size_t i = 0; i < sizeof THREADS / sizeof THREADS[0]; i++) {
        are_handed_over_in_order(u, THREADS[i], NEVER);
        are_handed_over_in_order(u, THREADS[i], 0);
        are_handed_over_in_order(u, THREADS[i], 400);
        are_handed_over_in_order(u, THREADS[i], UNITS - 1);
    }
    const ordered_work nothing = {0, make, hand_over};
    CHECK(u, threads_run_in_order(3, &nothing, NULL));
}
