/* Units of work that several threads make at once, and that are handed over one after the other, in
 * their order: rows of a file, say, that are formatted side by side and written as they stand. */
#ifndef SELFATTN_BASE_IN_ORDER_H
#define SELFATTN_BASE_IN_ORDER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ordered_work {
    size_t units;
    void (*make)(void *context, size_t worker, size_t unit);
    /* Called by the worker that made the unit, once all units before it are handed over; false:
     * nothing after it is. */
    bool (*hand_over)(void *context, size_t worker, size_t unit);
} ordered_work;

/* As many units as there are threads are in memory at most. Where threads can't be started fewer do
 * the work, the caller's alone if need be. False where a unit's handing over was. */
bool threads_run_in_order(size_t threads, const ordered_work *work, void *context);

#endif
