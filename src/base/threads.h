/* A few threads for work that is cut into units; a unit's result must not depend on the thread.
 *
 * A crew stays together from one piece of work to the next. Its threads are started when a piece
 * first wants them, so a crew that only ever gets small pieces is the caller's thread alone. */
#ifndef SELFATTN_BASE_THREADS_H
#define SELFATTN_BASE_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { THREADS_MOST = 256 };

/* How many processors this process may run on: fewer than the machine has, under taskset or in a
 * container; 0: the system does not say. */
size_t threads_processors(void);

/* ---- waiting until a count that others raise has come so far ----
 *
 * Waking a thread that sleeps takes as long as a small piece of work does, and longer where its
 * processor sleeps too. So a thread that waits looks at the count first, for less than half a
 * millisecond, and sleeps after that. Where there are more threads than processors it sleeps at
 * once: each look would take time from a thread that works ---- */

typedef struct bell {
    pthread_mutex_t lock;
    pthread_cond_t rings;
    atomic_size_t sleepers;
    atomic_bool is_over;
    size_t looks;
} bell;

/* For so many threads, of which some wait. To be closed, and not to be moved. */
void bell_open(bell *b, size_t threads);
void bell_close(bell *b);

/* Returns true once *count is `wanted` or more; false if waiting was ended before that. */
bool bell_wait(bell *b, const atomic_size_t *count, size_t wanted);
/* Must be called after a count was raised, else sleeping threads don't notice. */
void bell_ring(bell *b);
/* Ends the waiting for counts that will not come. */
void bell_end(bell *b);

/* ---- crews ---- */

typedef void crew_work(void *context, size_t worker);

typedef struct crew crew;

/* What a thread of the crew is given at its start. */
typedef struct crew_member {
    crew *of;
    size_t worker; /* the caller is 0 */
} crew_member;

struct crew {
    size_t most;        /* threads, the caller's included */
    size_t ran, wanted; /* of the first piece that got fewer threads than it wanted; else 0 */
    size_t started;     /* besides the caller's */
    pthread_t thread[THREADS_MOST];
    crew_member member[THREADS_MOST];
    bell has_piece, has_ended;
    atomic_size_t piece; /* the number of the last one */
    atomic_size_t ended; /* workers that are done with it */
    /* The piece, which is set and read under the lock: a worker that this piece does not need may
     * read it late, while the next piece is being set. */
    pthread_mutex_t lock;
    crew_work *work;
    void *context;
    size_t workers;
    int callers_processor; /* where the caller ran when the piece began; −1: unknown */
};

/* Up to `threads` threads, the caller's being one. To be closed, and not to be moved. */
void crew_open(crew *c, size_t threads);
void crew_close(crew *c);

/* Runs work(context, worker) in up to `threads` of the crew at once, the caller being worker 0, and
 * returns when all are done: the number of workers that ran. Where a thread can't be started there
 * are fewer, so `work` takes units from a shared counter until there are none left. */
size_t crew_run(crew *c, size_t threads, crew_work *work, void *context);

/* The same by a crew for this piece alone. */
size_t threads_run(size_t threads, crew_work *work, void *context);

/* Runs the work on a stack of a megabyte: the caller's own, unless `ulimit -s` makes that smaller.
 * False where no thread can be started for it. */
bool threads_on_stack(void (*work)(void *context), void *context);

/* `threads`, or 1 where so few multiply-adds are to be done that starting threads costs more than
 * they bring. */
size_t threads_worth(size_t threads, double operations);

#endif
