#define _GNU_SOURCE /* sched_getcpu, cpu_set_t */
#include "base/threads.h"

#include "base/mem.h"

#include <signal.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sched.h>
#endif

/* Bytes of each thread's stack, independent of `ulimit -s`; the program's deepest calls take a
 * quarter. */
enum { STACK = 1 << 20 };

/* ---- processors ---- */

#ifdef __linux__
size_t threads_processors(void)
{
    cpu_set_t mine;
    return sched_getaffinity(0, sizeof mine, &mine) == 0 ? (size_t)CPU_COUNT(&mine) : 0;
}

static int processor_now(void)
{
    return sched_getcpu();
}

/* A system may wake a thread on the caller's processor, and leave both there for tens of
 * milliseconds while another processor is idle: a virtual machine does so when its other processor
 * is halted. The thread then moves away. Where the system can't tell the processor, both are −1,
 * and the thread stays. */
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
#else
size_t threads_processors(void)
{
    return 0;
}

static int processor_now(void)
{
    return -1;
}

static void leave_to_caller(int processor)
{
    (void)processor;
}
#endif

/* ---- bells ---- */

enum { LOOKS = 10000 };

static inline void pause_between_looks(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void bell_open(bell *b, size_t threads)
{
    size_t processors = threads_processors();
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->rings, NULL);
    atomic_init(&b->sleepers, 0);
    atomic_init(&b->is_over, false);
    b->looks = threads > processors && threads > 1 && processors > 0 ? 0 : LOOKS;
}

void bell_close(bell *b)
{
    pthread_mutex_destroy(&b->lock);
    pthread_cond_destroy(&b->rings);
}

/* A thread registers as a sleeper before it reads the count for the last time. The thread that
 * rings looks for sleepers after it raised the count. Both use sequentially consistent order, so at
 * least one of the two sees the other. */
bool bell_wait(bell *b, const atomic_size_t *count, size_t wanted)
{
    for (size_t i = 0; i < b->looks; i++) {
        if (atomic_load_explicit(count, memory_order_acquire) >= wanted)
            return true;
        if (atomic_load_explicit(&b->is_over, memory_order_relaxed))
            break;
        pause_between_looks();
    }
    pthread_mutex_lock(&b->lock);
    atomic_fetch_add(&b->sleepers, 1);
    bool is_there;
    for (;;) {
        /* Counts are raised before the end is announced. So reading `is_over` before the count
         * misses no count. */
        bool is_over = atomic_load(&b->is_over);
        is_there = atomic_load(count) >= wanted;
        if (is_there || is_over)
            break;
        pthread_cond_wait(&b->rings, &b->lock);
    }
    atomic_fetch_sub(&b->sleepers, 1);
    pthread_mutex_unlock(&b->lock);
    return is_there;
}

void bell_ring(bell *b)
{
    if (atomic_load(&b->sleepers) == 0)
        return;
    pthread_mutex_lock(&b->lock);
    pthread_cond_broadcast(&b->rings);
    pthread_mutex_unlock(&b->lock);
}

void bell_end(bell *b)
{
    atomic_store(&b->is_over, true);
    bell_ring(b);
}

/* ---- crews ---- */

/* A worker that a piece does not need skips it, but still notes the piece's number. */
static void *serve(void *argument)
{
    const crew_member *me = argument;
    crew *c = me->of;
    size_t seen = 0;
    while (bell_wait(&c->has_piece, &c->piece, seen + 1)) {
        pthread_mutex_lock(&c->lock);
        crew_work *work = me->worker < c->workers ? c->work : NULL;
        void *context = c->context;
        int callers_processor = c->callers_processor;
        seen = atomic_load(&c->piece);
        pthread_mutex_unlock(&c->lock);
        if (work != NULL) {
            leave_to_caller(callers_processor);
            work(context, me->worker);
            atomic_fetch_add(&c->ended, 1);
            bell_ring(&c->has_ended);
        }
    }
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

/* Signals go to the caller's thread, which knows what to clean up; but a signal that a thread
 * causes itself, by writing to a closed pipe or reading a file that was cut short, is delivered to
 * that thread. After one failure no further thread is started. */
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
    atomic_init(&c->ended, 0);
    pthread_mutex_init(&c->lock, NULL);
    bell_open(&c->has_piece, c->most);
    bell_open(&c->has_ended, c->most);
}

void crew_close(crew *c)
{
    bell_end(&c->has_piece);
    for (size_t i = 0; i < c->started; i++)
        pthread_join(c->thread[i], NULL);
    pthread_mutex_destroy(&c->lock);
    bell_close(&c->has_piece);
    bell_close(&c->has_ended);
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
    c->callers_processor = processor_now();
    atomic_store(&c->ended, 0);
    atomic_fetch_add(&c->piece, 1);
    pthread_mutex_unlock(&c->lock);
    bell_ring(&c->has_piece);
    work(context, 0);
    bell_wait(&c->has_ended, &c->ended, workers - 1);
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
