/* WASI has no signals: masks and handlers are taken, and no handler is called but SIGPIPE's, where a
 * pipe has lost its reader (pipes.c). */
#ifndef SELFATTN_WASI_SIGNAL_H
#define SELFATTN_WASI_SIGNAL_H

#include_next <signal.h>
#include <stddef.h>
#include <sys/select.h> /* sigset_t */

enum { SIG_SETMASK, SA_SIGINFO, SA_RESETHAND };

typedef struct siginfo {
    int si_code;
    void *si_addr;
} siginfo_t;

struct sigaction {
    void (*sa_handler)(int);
    void (*sa_sigaction)(int, siginfo_t *, void *);
    sigset_t sa_mask;
    int sa_flags;
};

int sigaction(int number, const struct sigaction *wanted, struct sigaction *old);

static inline int kill(int process, int number)
{
    (void)process, (void)number;
    return -1;
}

static inline int sigfillset(sigset_t *set)
{
    return *set = 0;
}

static inline int sigemptyset(sigset_t *set)
{
    return *set = 0;
}

static inline int sigdelset(sigset_t *set, int number)
{
    (void)number;
    return *set = 0;
}

static inline int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    (void)how, (void)set;
    if (old != NULL)
        *old = 0;
    return 0;
}

#endif
