/* What Windows leaves out of it. */
#ifndef SELFATTN_WINDOWS_FCNTL_H
#define SELFATTN_WINDOWS_FCNTL_H

#include_next <fcntl.h>
#include <sys/types.h>

enum {
    O_CLOEXEC = 0, /* no program is started */
    O_NOCTTY = 0,
    O_NONBLOCK = 0,
    O_NOFOLLOW = 1 << 20,
    O_DIRECTORY = 1 << 21,
    AT_FDCWD = -100,
    F_DUPFD_CLOEXEC = 1030
};

int openat(int folder, const char *name, int flags);
/* F_DUPFD_CLOEXEC alone. */
int fcntl(int descriptor, int command, int least);

#endif
