/* Of signals there are what a console says (control C, its window is closed) and a pipe that is
 * closed; others are taken, and never come. The console's handlers run on a thread of their own, so
 * that no mask would hold them back. */
#ifndef SELFATTN_WINDOWS_SIGNAL_H
#define SELFATTN_WINDOWS_SIGNAL_H

#include_next <signal.h>
#include <stddef.h>
#include <sys/types.h>

enum {
    SIGHUP = 1,
    SIGQUIT = 3,
    SIGBUS = 7,
    SIGUSR1 = 10,
    SIGUSR2 = 12,
    SIGPIPE = 13,
    SIGALRM = 14,
    SIGXCPU = 24,
    SIGXFSZ = 25,
    SIGVTALRM = 26,
    SIGPROF = 27
};
enum { SIG_SETMASK, SA_SIGINFO, SA_RESETHAND };

typedef unsigned long long sigset_t;

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

/* Who ends by a signal does so when its handler returns. */
#define raise(number) ((void)(number), 0)
#define kill(process, number) ((void)(process), (void)(number), 0)

static inline int sigfillset(sigset_t *set)
{
    return (int)(*set = 0);
}

static inline int sigemptyset(sigset_t *set)
{
    return (int)(*set = 0);
}

static inline int sigdelset(sigset_t *set, int number)
{
    (void)number;
    return (int)(*set = 0);
}

#undef pthread_sigmask
static inline int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    (void)how, (void)set;
    if (old != NULL)
        *old = 0;
    return 0;
}

#endif
