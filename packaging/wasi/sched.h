/* WASI does not say where its thread is. */
#ifndef SELFATTN_WASI_SCHED_H
#define SELFATTN_WASI_SCHED_H

#include_next <sched.h>
#include <stddef.h>

typedef char cpu_set_t;
#define CPU_CLR(processor, set) ((void)(processor), (void)(set))
#define CPU_COUNT(set) ((void)(set), 1)

static inline int sched_getcpu(void)
{
    return -1;
}

static inline int sched_getaffinity(int process, size_t size, cpu_set_t *set)
{
    (void)process, (void)size, (void)set;
    return -1;
}

static inline int sched_setaffinity(int process, size_t size, const cpu_set_t *set)
{
    (void)process, (void)size, (void)set;
    return -1;
}

#endif
