#define _DEFAULT_SOURCE /* fchown */
#include "io/ownership.h"

#include "base/mem.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/xattr.h>

static const char ACCESS_LIST[] = "system.posix_acl_access";

/* Linux's XATTR_LIST_MAX and XATTR_SIZE_MAX. */
enum { MOST_BYTES = 1 << 16 };

/* Of what the kernel keeps for security's sake a label goes with the file; the right to be root
 * (capability) and the proof of what was in it (ima, evm) don't. */
static bool is_copied(const char *name)
{
    return strncmp(name, "security.", 9) != 0 || strcmp(name, "security.selinux") == 0;
}

static bool copy_one(int descriptor, const char *path, const char *name, char *value)
{
    ssize_t length = getxattr(path, name, value, MOST_BYTES);
    return length >= 0 && fsetxattr(descriptor, name, value, (size_t)length, 0) == 0;
}

/* *is_kept: the access list is the same, if there is one; its mask would be the group's mode. */
static bool copy_attributes(int descriptor, const char *path, bool is_ours, bool *is_kept)
{
    err ignored = {0};
    ssize_t length = listxattr(path, NULL, 0);
    fremovexattr(descriptor, ACCESS_LIST); /* that a new file has from its folder */
    *is_kept = true;
    if (length <= 0)
        return true;
    char *names = mem_alloc(2, MOST_BYTES, &ignored), *value = names + MOST_BYTES;
    errno = ENOMEM;
    if (names == NULL)
        return false;
    length = listxattr(path, names, MOST_BYTES);
    *is_kept = length >= 0;
    for (ssize_t at = 0; at < length; at += (ssize_t)strlen(names + at) + 1) {
        const char *name = names + at;
        bool is_list = strcmp(name, ACCESS_LIST) == 0, may_be = is_ours || !is_list;
        bool done = may_be && is_copied(name) && copy_one(descriptor, path, name, value);
        *is_kept = *is_kept && (done || !is_list);
    }
    mem_free(names);
    return true;
}
#else
static bool copy_attributes(int descriptor, const char *path, bool is_ours, bool *is_kept)
{
    (void)descriptor, (void)path, (void)is_ours;
    *is_kept = true;
    return true;
}
#endif

bool ownership_copy(int descriptor, const char *path, const struct stat *old)
{
    struct stat new = {0};
    bool is_kept, is_known = fstat(descriptor, &new) == 0;
    mode_t mode = old->st_mode & 07777;
    /* Root may give a file away, others may give it to another group of theirs. */
    if ((new.st_uid != old->st_uid || new.st_gid != old->st_gid) &&
        (fchown(descriptor, old->st_uid, old->st_gid) == 0 ||
         fchown(descriptor, (uid_t)-1, old->st_gid) == 0))
        is_known = fstat(descriptor, &new) == 0;
    bool is_of_group = is_known && new.st_gid == old->st_gid;
    bool is_ours = is_of_group && new.st_uid == old->st_uid;
    if (!copy_attributes(descriptor, path, is_ours, &is_kept))
        return false;
    if (!is_ours)
        mode &= ~(mode_t)(S_ISUID | S_ISGID);
    if (!is_of_group || !is_kept)
        mode &= ~(mode_t)S_IRWXG | (mode & S_IRWXO) << 3;
    return fchmod(descriptor, mode) == 0;
}
