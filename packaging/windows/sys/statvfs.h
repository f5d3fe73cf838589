/* What is free on a disk. */
#ifndef SELFATTN_WINDOWS_SYS_STATVFS_H
#define SELFATTN_WINDOWS_SYS_STATVFS_H

struct statvfs {
    unsigned long long f_blocks, f_bavail, f_frsize;
};

int statvfs(const char *path, struct statvfs *disk);
/* Is not said. */
int fstatvfs(int descriptor, struct statvfs *disk);

#endif
