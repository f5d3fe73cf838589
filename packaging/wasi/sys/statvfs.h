/* WASI does not say what is free on a disk. */
#ifndef SELFATTN_WASI_SYS_STATVFS_H
#define SELFATTN_WASI_SYS_STATVFS_H

struct statvfs {
    unsigned long long f_blocks, f_bavail, f_frsize;
};

static inline int statvfs(const char *path, struct statvfs *disk)
{
    (void)path, (void)disk;
    return -1;
}

static inline int fstatvfs(int descriptor, struct statvfs *disk)
{
    (void)descriptor, (void)disk;
    return -1;
}

#endif
