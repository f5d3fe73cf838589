/* A few threads for one piece of work that is cut into units; a unit's result must not depend on
 * who does it. */
#ifndef SELFATTN_BASE_THREADS_H
#define SELFATTN_BASE_THREADS_H

#include <stddef.h>

/* Runs work(context, worker) in up to `threads` threads at once, the caller's being worker 0, and
 * returns when all are done: the number of workers that ran. Where a thread can't be started there
 * are fewer, so `work` takes units from a shared counter until there are none left. */
size_t threads_run(size_t threads, void (*work)(void *context, size_t worker), void *context);

/* `threads`, or 1 where so few multiply-adds are to be done that starting threads costs more than
 * they bring. */
size_t threads_worth(size_t threads, double operations);

enum { THREADS_MOST = 256 };

#endif
