#include "heap.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_bool is_watched;
static atomic_long now, peak;

extern void *__real_aligned_alloc(size_t alignment, size_t size);
extern void *__real_malloc(size_t size);
extern void *__real_realloc(void *block, size_t size);
extern void __real_free(void *block);

static void count(long bytes)
{
    long sum = atomic_fetch_add(&now, bytes) + bytes, most = atomic_load(&peak);
    while (sum > most && !atomic_compare_exchange_weak(&peak, &most, sum))
        ;
}

/* What is to happen, at which allocation. */
static struct {
    void (*work)(void *context);
    void *context;
    size_t left;
} disturbance;

static void disturb(void)
{
    void (*work)(void *context) = disturbance.work;
    if (work == NULL || disturbance.left-- > 0)
        return;
    disturbance.work = NULL;
    work(disturbance.context);
}

bool heap_disturb(size_t number, void (*work)(void *context), void *context)
{
    bool was_called = disturbance.work == NULL;
    disturbance.work = work;
    disturbance.context = context;
    disturbance.left = number;
    return was_called;
}

/* How many allocations there are to the one that fails, and itself; 0: none does. */
static atomic_size_t left;

static bool is_missing(void)
{
    return atomic_load(&left) > 0 && atomic_fetch_sub(&left, 1) == 1;
}

void heap_lacks(size_t number)
{
    atomic_store(&left, number + 1);
}

bool heap_lacked(void)
{
    return atomic_exchange(&left, 0) == 0;
}

static void *given(void *block)
{
    disturb();
    if (block != NULL && atomic_load(&is_watched))
        count((long)malloc_usable_size(block));
    return block;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return is_missing() ? NULL : given(__real_aligned_alloc(alignment, size));
}

void *__wrap_malloc(size_t size)
{
    return is_missing() ? NULL : given(__real_malloc(size));
}

static void taken(void *block)
{
    if (block != NULL && atomic_load(&is_watched))
        count(-(long)malloc_usable_size(block));
}

/* The old block is not counted next to the new one: it stays where it is, or moves page by page.
 * No test watches while memory fails. */
void *__wrap_realloc(void *block, size_t size)
{
    if (is_missing())
        return NULL;
    taken(block);
    return given(__real_realloc(block, size));
}

void __wrap_free(void *block)
{
    taken(block);
    __real_free(block);
}

void heap_watch(void)
{
    atomic_store(&now, 0);
    atomic_store(&peak, 0);
    atomic_store(&is_watched, true);
}

size_t heap_peak(void)
{
    atomic_store(&is_watched, false);
    return (size_t)atomic_load(&peak);
}
