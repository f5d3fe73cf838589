#include "io/free_disk.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* What will replace a file lies next to it until it is whole, so that the old one's bytes are not
 * free. */
static bool ask(const char *file, struct statvfs *disk)
{
    struct stat status;
    if (stat(file, &status) == 0)
        return S_ISREG(status.st_mode) && statvfs(file, disk) == 0;
    const char *slash = strrchr(file, '/');
    char folder[PATH_MAX];
    int length = slash == NULL ? 1 : (int)(slash - file) + 1;
    return snprintf(folder, sizeof folder, "%.*s", length, slash == NULL ? "." : file) == length &&
           length < PATH_MAX && statvfs(folder, disk) == 0;
}

static bool ask_of_output(struct statvfs *disk)
{
    struct stat status;
    return fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode) &&
           fstatvfs(STDOUT_FILENO, disk) == 0;
}

/* A system of files that has no blocks (of a network, or made up) does not say what is free. */
bool free_disk(const char *file, uint64_t *bytes)
{
    struct statvfs disk;
    if (!(strcmp(file, "-") == 0 ? ask_of_output(&disk) : ask(file, &disk)) || disk.f_blocks == 0)
        return false;
    *bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    return true;
}
