/* WASI has no users or processes but this one. */
#ifndef SELFATTN_WASI_UNISTD_H
#define SELFATTN_WASI_UNISTD_H

#include_next <unistd.h>

#undef lseek /* a macro that is more than C */

/* See fcntl.h. */
int wasi_close(int descriptor);
#define close wasi_close

static inline uid_t geteuid(void)
{
    return 0;
}

static inline int fchown(int descriptor, uid_t owner, gid_t group)
{
    (void)descriptor, (void)owner, (void)group;
    return -1;
}

static inline int pause(void)
{
    return -1;
}

#define getpid() 1

#endif
