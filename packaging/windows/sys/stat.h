/* What a file is, with its number, its names and the tenths of microseconds when it was written,
 * which the C library does not tell. It has no owners, and "read-only" is its only mode. */
#ifndef SELFATTN_WINDOWS_SYS_STAT_H
#define SELFATTN_WINDOWS_SYS_STAT_H

#include <sys/types.h>
#include <time.h>

typedef int uid_t;
typedef int gid_t;

struct windows_stat {
    unsigned long st_dev;
    unsigned long long st_ino;
    mode_t st_mode;
    unsigned long st_nlink;
    uid_t st_uid;
    gid_t st_gid;
    off_t st_size;
    struct timespec st_mtim;
};

enum {
    S_IFIFO = 0010000,
    S_IFCHR = 0020000,
    S_IFDIR = 0040000,
    S_IFREG = 0100000,
    S_IFLNK = 0120000,
    S_IFMT = 0170000,
    S_ISUID = 04000,
    S_ISGID = 02000,
    S_IRWXG = 070,
    S_IRWXO = 07
};
#define S_ISREG(mode) (((mode)&S_IFMT) == S_IFREG)
#define S_ISCHR(mode) (((mode)&S_IFMT) == S_IFCHR)
#define S_ISLNK(mode) (((mode)&S_IFMT) == S_IFLNK)
#define S_ISDIR(mode) (((mode)&S_IFMT) == S_IFDIR)
enum { UTIME_OMIT = -1 };

#define stat windows_stat
int windows_stat(const char *path, struct windows_stat *status);
int fstat(int descriptor, struct windows_stat *status);
int lstat(const char *path, struct windows_stat *status);
int mkdir(const char *path, mode_t mode);
/* The second time alone. */
int futimens(int descriptor, const struct timespec times[2]);

static inline int fchmod(int descriptor, mode_t mode)
{
    (void)descriptor, (void)mode;
    return 0;
}

#endif
