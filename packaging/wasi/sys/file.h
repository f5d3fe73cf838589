/* WASI has no locks on files. */
#ifndef SELFATTN_WASI_SYS_FILE_H
#define SELFATTN_WASI_SYS_FILE_H

#include <errno.h>

enum { LOCK_SH = 1, LOCK_EX = 2, LOCK_NB = 4 };

static inline int flock(int descriptor, int how)
{
    (void)descriptor, (void)how;
    errno = ENOSYS;
    return -1;
}

#endif
