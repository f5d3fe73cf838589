#define _GNU_SOURCE /* sched_getcpu, cpu_set_t */
#include "base/threads.h"

#include "base/mem.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

/* Of each thread, whatever `ulimit -s` says: the program's deepest calls take a quarter. */
enum { STACK = 1 << 20 };

/* A system may wake a thread on the processor where the caller is at work, and leave both there for
 * tens of milliseconds next to one that is idle, as in a virtual machine whose other processor is
 * halted: then the thread goes there. A system that knows no processor says −1 of all threads, and
 * they stay as they are. */
static void leave_to_caller(int processor)
{
    cpu_set_t all, others;
    if (sched_getcpu() != processor || sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    others = all;
    CPU_CLR((size_t)processor, &others);
    if (sched_setaffinity(0, sizeof others, &others) == 0)
        sched_setaffinity(0, sizeof all, &all);
}

static bool has_news(crew *c, size_t seen)
{
    return atomic_load_explicit(&c->piece, memory_order_relaxed) != seen ||
           atomic_load_explicit(&c->is_over, memory_order_relaxed);
}

/* A piece that has enough workers is left to them: its number is seen all the same. */
static void *serve(void *argument)
{
    const crew_member *me = argument;
    crew *c = me->of;
    size_t seen = 0;
    for (;;) {
        for (int i = 0; i < LOOKS && !has_news(c, seen); i++)
            look_pause();
        pthread_mutex_lock(&c->lock);
        while (!has_news(c, seen))
            pthread_cond_wait(&c->has_piece, &c->lock);
        if (c->piece == seen)
            break; /* there will be none */
        bool is_wanted = me->worker < c->workers;
        int callers_processor = c->callers_processor;
        seen = c->piece;
        pthread_mutex_unlock(&c->lock);
        if (is_wanted) {
            leave_to_caller(callers_processor);
            c->work(c->context, me->worker);
            pthread_mutex_lock(&c->lock);
            if (--c->busy == 0)
                pthread_cond_signal(&c->is_done);
            pthread_mutex_unlock(&c->lock);
        }
    }
    pthread_mutex_unlock(&c->lock);
    mem_thread_ends();
    return NULL;
}

static bool start(pthread_t *thread, void *(*work)(void *), void *context)
{
    pthread_attr_t how;
    pthread_attr_init(&how);
    pthread_attr_setstacksize(&how, STACK);
    bool is_started = pthread_create(thread, &how, work, context) == 0;
    pthread_attr_destroy(&how);
    return is_started;
}

/* Signals go to the caller's thread, which knows what to clean up; but those that a thread brings
 * about itself, by writing to a closed pipe or reading a file that was cut short, end in it. After
 * one failure no other thread is asked for. */
static void start_until(crew *c, size_t wanted)
{
    sigset_t all, before;
    if (c->started >= wanted || c->ran > 0)
        return;
    sigfillset(&all);
    sigdelset(&all, SIGPIPE);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (c->started < wanted) {
        crew_member *next = &c->member[c->started];
        *next = (crew_member){c, c->started + 1};
        if (!start(&c->thread[c->started], serve, next))
            break;
        c->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void crew_open(crew *c, size_t threads)
{
    c->most = threads == 0 ? 1 : threads > THREADS_MOST ? THREADS_MOST : threads;
    c->ran = c->wanted = c->started = 0;
    c->workers = 0;
    atomic_init(&c->piece, 0);
    atomic_init(&c->busy, 0);
    atomic_init(&c->is_over, false);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->has_piece, NULL);
    pthread_cond_init(&c->is_done, NULL);
}

void crew_close(crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->is_over = true;
    pthread_cond_broadcast(&c->has_piece);
    pthread_mutex_unlock(&c->lock);
    for (size_t i = 0; i < c->started; i++)
        pthread_join(c->thread[i], NULL);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->has_piece);
    pthread_cond_destroy(&c->is_done);
}

size_t crew_run(crew *c, size_t threads, crew_work *work, void *context)
{
    size_t wanted = threads < 1 ? 1 : threads > c->most ? c->most : threads;
    start_until(c, wanted - 1);
    size_t workers = c->started + 1 < wanted ? c->started + 1 : wanted;
    if (workers < wanted && c->ran == 0) {
        c->ran = workers;
        c->wanted = wanted;
    }
    if (workers == 1) {
        work(context, 0);
        return 1;
    }
    pthread_mutex_lock(&c->lock);
    c->work = work;
    c->context = context;
    c->workers = workers;
    c->callers_processor = sched_getcpu();
    c->busy = workers - 1;
    c->piece++;
    pthread_cond_broadcast(&c->has_piece);
    pthread_mutex_unlock(&c->lock);
    work(context, 0);
    for (int i = 0; i < LOOKS && atomic_load_explicit(&c->busy, memory_order_relaxed) > 0; i++)
        look_pause();
    pthread_mutex_lock(&c->lock);
    while (c->busy > 0)
        pthread_cond_wait(&c->is_done, &c->lock);
    pthread_mutex_unlock(&c->lock);
    return workers;
}

size_t threads_run(size_t threads, crew_work *work, void *context)
{
    crew alone;
    crew_open(&alone, threads);
    size_t ran = crew_run(&alone, threads, work, context);
    crew_close(&alone);
    return ran;
}

typedef struct errand {
    void (*work)(void *context);
    void *context;
} errand;

static void *run_errand(void *argument)
{
    const errand *of = argument;
    of->work(of->context);
    mem_thread_ends();
    return NULL;
}

bool threads_on_stack(void (*work)(void *context), void *context)
{
    errand of = {work, context};
    struct rlimit stack = {.rlim_cur = STACK};
    pthread_t thread;
    getrlimit(RLIMIT_STACK, &stack);
    if (stack.rlim_cur >= STACK)
        work(context);
    else if (start(&thread, run_errand, &of))
        pthread_join(thread, NULL);
    else
        return false;
    return true;
}

size_t threads_worth(size_t threads, double operations)
{
    static const double FEW_OPERATIONS = 2e6;
    return operations < FEW_OPERATIONS ? 1 : threads;
}
