#include "io/free_disk.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* A system of files that has no blocks (of a network, or made up) does not say what is free. */
bool free_disk(const char *file, uint64_t *bytes)
{
    struct stat status;
    struct statvfs disk;
    bool is_output = strcmp(file, "-") == 0;
    if ((is_output ? fstat(STDOUT_FILENO, &status) : stat(file, &status)) == 0) {
        /* What will replace a file lies next to it until it is whole, so that the old one's bytes
         * are not free. */
        if (!S_ISREG(status.st_mode) ||
            (is_output ? fstatvfs(STDOUT_FILENO, &disk) : statvfs(file, &disk)) != 0)
            return false;
    } else {
        const char *slash = strrchr(file, '/');
        char folder[PATH_MAX];
        int length = slash == NULL ? 1 : (int)(slash - file) + 1;
        if (is_output ||
            snprintf(folder, sizeof folder, "%.*s", length, slash == NULL ? "." : file) != length ||
            length >= PATH_MAX || statvfs(folder, &disk) != 0)
            return false;
    }
    *bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    return disk.f_blocks > 0;
}
