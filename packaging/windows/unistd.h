/* One user. Names are UTF-8 for all calls, and a terminal is a console that knows colours. */
#ifndef SELFATTN_WINDOWS_UNISTD_H
#define SELFATTN_WINDOWS_UNISTD_H

#include_next <unistd.h>
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>

#ifndef F_OK
enum { F_OK = 0, W_OK = 2 };
#endif
enum { _SC_NPROCESSORS_ONLN, _SC_PHYS_PAGES, _SC_PAGESIZE };

ssize_t read(int descriptor, void *to, size_t bytes);
/* Where a pipe has lost its reader, SIGPIPE's handler is called, and the program ends. */
ssize_t write(int descriptor, const void *from, size_t bytes);
ssize_t pread(int descriptor, void *to, size_t bytes, off_t at);
int unlinkat(int folder, const char *name, int flags);
long sysconf(int what);
int fsync(int descriptor);
int pause(void);

/* A link is refused where it would have to be followed by hand. */
static inline ssize_t readlink(const char *path, char *to, size_t most)
{
    (void)path, (void)to, (void)most;
    errno = ENOSYS;
    return -1;
}

static inline uid_t geteuid(void)
{
    return 0;
}

static inline int fchown(int descriptor, uid_t owner, gid_t group)
{
    (void)descriptor, (void)owner, (void)group;
    return -1;
}

#endif
