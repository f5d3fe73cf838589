/* WASI has one thread. No other can be started, so the caller does all the work; locks and signals
 * between threads do nothing. */
#ifndef SELFATTN_WASI_PTHREAD_H
#define SELFATTN_WASI_PTHREAD_H

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/types.h> /* the types */
#include <time.h>

#define PTHREAD_MUTEX_INITIALIZER                                                                  \
    {                                                                                              \
        {                                                                                          \
            {                                                                                      \
                0                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
#define PTHREAD_COND_INITIALIZER PTHREAD_MUTEX_INITIALIZER

static inline int pthread_create(pthread_t *thread, const pthread_attr_t *how,
                                 void *(*work)(void *), void *context)
{
    (void)thread, (void)how, (void)work, (void)context;
    return EAGAIN;
}

static inline int pthread_join(pthread_t thread, void **result)
{
    (void)thread, (void)result;
    return ESRCH;
}

static inline int pthread_cond_timedwait(pthread_cond_t *news, pthread_mutex_t *lock,
                                         const struct timespec *until)
{
    (void)news, (void)lock, (void)until;
    return ETIMEDOUT;
}

#define ALWAYS_DONE(name, type)                                                                    \
    static inline int name(type *of)                                                               \
    {                                                                                              \
        (void)of;                                                                                  \
        return 0;                                                                                  \
    }
ALWAYS_DONE(pthread_attr_init, pthread_attr_t)
ALWAYS_DONE(pthread_attr_destroy, pthread_attr_t)
ALWAYS_DONE(pthread_mutex_lock, pthread_mutex_t)
ALWAYS_DONE(pthread_mutex_unlock, pthread_mutex_t)
ALWAYS_DONE(pthread_mutex_destroy, pthread_mutex_t)
ALWAYS_DONE(pthread_cond_signal, pthread_cond_t)
ALWAYS_DONE(pthread_cond_broadcast, pthread_cond_t)
ALWAYS_DONE(pthread_cond_destroy, pthread_cond_t)
#undef ALWAYS_DONE

#define ALWAYS_DONE(name, type, with)                                                              \
    static inline int name(type *of, with value)                                                   \
    {                                                                                              \
        (void)of, (void)value;                                                                     \
        return 0;                                                                                  \
    }
ALWAYS_DONE(pthread_attr_setstacksize, pthread_attr_t, size_t)
ALWAYS_DONE(pthread_mutex_init, pthread_mutex_t, const void *)
ALWAYS_DONE(pthread_cond_init, pthread_cond_t, const pthread_condattr_t *)
ALWAYS_DONE(pthread_cond_wait, pthread_cond_t, pthread_mutex_t *)
#undef ALWAYS_DONE

#endif
