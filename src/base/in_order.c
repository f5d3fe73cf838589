#include "base/in_order.h"

#include "base/spin_wait.h"
#include "base/threads.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct line_up {
    const ordered_work *work;
    void *context;
    atomic_size_t next; /* unit to be made */
    atomic_bool is_over;
    pthread_mutex_t lock;
    pthread_cond_t passed;
    atomic_size_t turn; /* unit to be handed over */
} line_up;

static void wait_for_turn(line_up *l, size_t unit)
{
    for (int i = 0; i < LOOKS && atomic_load(&l->turn) != unit; i++)
        look_pause();
    pthread_mutex_lock(&l->lock);
    while (atomic_load(&l->turn) != unit)
        pthread_cond_wait(&l->passed, &l->lock);
    pthread_mutex_unlock(&l->lock);
}

static void pass_turn(line_up *l)
{
    pthread_mutex_lock(&l->lock);
    atomic_fetch_add(&l->turn, 1);
    pthread_cond_broadcast(&l->passed);
    pthread_mutex_unlock(&l->lock);
}

/* Whoever has taken a unit passes its turn, also when all is over: others wait for it. */
static void do_unit(line_up *l, size_t worker, size_t unit)
{
    if (!atomic_load(&l->is_over))
        l->work->make(l->context, worker, unit);
    wait_for_turn(l, unit);
    if (!atomic_load(&l->is_over) && !l->work->hand_over(l->context, worker, unit))
        atomic_store(&l->is_over, true);
    pass_turn(l);
}

static void work(void *context, size_t worker)
{
    line_up *l = context;
    while (!atomic_load(&l->is_over)) {
        size_t unit = atomic_fetch_add(&l->next, 1);
        if (unit >= l->work->units)
            break;
        do_unit(l, worker, unit);
    }
}

bool threads_run_in_order(size_t threads, const ordered_work *to_do, void *context)
{
    line_up l = {.work = to_do,
                 .context = context,
                 .lock = PTHREAD_MUTEX_INITIALIZER,
                 .passed = PTHREAD_COND_INITIALIZER};
    threads_run(threads, work, &l);
    pthread_cond_destroy(&l.passed);
    pthread_mutex_destroy(&l.lock);
    return !atomic_load(&l.is_over);
}
