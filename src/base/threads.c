#include "base/threads.h"

#include <pthread.h>
#include <signal.h>

typedef struct worker {
    void (*work)(void *context, size_t worker);
    void *context;
    size_t index;
} worker;

static void *start(void *argument)
{
    const worker *one = argument;
    one->work(one->context, one->index);
    return NULL;
}

/* Signals go to the caller's thread, which knows what to clean up. */
static size_t start_all(worker *one, pthread_t *thread, size_t wanted)
{
    sigset_t all, before;
    size_t started = 0;
    if (wanted == 0)
        return 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < wanted && pthread_create(&thread[started], NULL, start, &one[started]) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

size_t threads_run(size_t threads, void (*work)(void *context, size_t worker), void *context)
{
    worker one[THREADS_MOST];
    pthread_t thread[THREADS_MOST];
    size_t others = threads > THREADS_MOST ? THREADS_MOST : threads;
    others = others == 0 ? 0 : others - 1;
    for (size_t i = 0; i < others; i++)
        one[i] = (worker){work, context, i + 1};
    size_t started = start_all(one, thread, others);
    work(context, 0);
    for (size_t i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    return started + 1;
}

size_t threads_worth(size_t threads, double operations)
{
    static const double FEW_OPERATIONS = 2e6;
    return operations < FEW_OPERATIONS ? 1 : threads;
}
