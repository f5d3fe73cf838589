/* What a system may refuse while an output is made: no file system at hand does all of it. */
#define _DEFAULT_SOURCE /* flock */
#include "io/sink.h"

#include "child.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/xattr.h>
#include <unistd.h>

/* ---- calls that fail ---- */

typedef enum failing { NOTHING, MAKING, LOCKING, FOLDER, SYNCING, SYNCING_FOLDER } failing;

static struct {
    failing call;
    int reason;
} refused;

static bool is_refused(failing call)
{
    if (refused.call == call)
        errno = refused.reason;
    return refused.call == call;
}

extern int __wrap_open(const char *path, int flags, ...);
extern int __wrap_flock(int descriptor, int operation);
extern int __wrap_fsync(int descriptor);
extern int __real_open(const char *path, int flags, ...);
extern int __real_flock(int descriptor, int operation);
extern int __real_fsync(int descriptor);

int __wrap_open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    bool makes = (flags & O_EXCL) != 0, is_folder = (flags & O_DIRECTORY) != 0;
    return (makes && is_refused(MAKING)) || (is_folder && is_refused(FOLDER))
               ? -1
               : __real_open(path, flags, mode);
}

int __wrap_flock(int descriptor, int operation)
{
    return is_refused(LOCKING) ? -1 : __real_flock(descriptor, operation);
}

int __wrap_fsync(int descriptor)
{
    struct stat status;
    bool is_folder = fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
    return is_refused(is_folder ? SYNCING_FOLDER : SYNCING) ? -1 : __real_fsync(descriptor);
}

/* What is said of it, or what is there then. */
static const struct {
    failing call;
    int reason;
    bool is_written, is_whole;
    const char *what, *remedy;
} REFUSED[] = {
    {NOTHING, 0, true, true, "", ""},
    {MAKING, EROFS, false, false, "cannot be written: Read-only file system",
     "it is made anew next to the old one, so its folder must be writable too"},
    /* Each new file would be locked at once by somebody who looks for what was left. */
    {LOCKING, EWOULDBLOCK, false, false, "cannot be written: File exists", ""},
    {LOCKING, ENOLCK, true, true, "", ""},
    {FOLDER, EACCES, true, true, "", ""},
    {FOLDER, EMFILE, false, false, "cannot be written: Too many open files", ""},
    {SYNCING, EIO, false, false, "cannot be written: Input/output error", ""},
    {SYNCING_FOLDER, EINVAL, true, true, "", ""},
    {SYNCING_FOLDER, EIO, false, true, "cannot be written: Input/output error", ""},
};

static void calls_fail(unit *u)
{
    sink_sync_all(true);
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        err e;
        scratch_put("file", "old", 0600);
        refused.call = REFUSED[i].call;
        refused.reason = REFUSED[i].reason;
        CHECK(u, scratch_write(scratch_path("file"), "new", &e) == REFUSED[i].is_written);
        refused.call = NOTHING;
        CHECK_TEXT(u, e.what, REFUSED[i].what);
        CHECK_TEXT(u, e.remedy, REFUSED[i].remedy);
        CHECK(u, scratch_holds("file", REFUSED[i].is_whole ? "new" : "old"));
        CHECK(u, scratch_count() == 1);
    }
    sink_sync_all(false);
    unlink(scratch_path("file"));
}

/* ---- attributes of the file that is replaced ---- */

/* Those that it has, with a NUL after each; those that were given to the new one; and the one that
 * can't be given. */
static const char *had = "", *lost = "";
static char given[256];

extern ssize_t __wrap_listxattr(const char *path, char *list, size_t size);
extern ssize_t __wrap_getxattr(const char *path, const char *name, void *value, size_t size);
extern int __wrap_fsetxattr(int descriptor, const char *name, const void *value, size_t size,
                            int flags);
extern ssize_t __real_listxattr(const char *path, char *list, size_t size);
extern ssize_t __real_getxattr(const char *path, const char *name, void *value, size_t size);
extern int __real_fsetxattr(int descriptor, const char *name, const void *value, size_t size,
                            int flags);

static size_t list_length(const char *list)
{
    size_t length = 0;
    while (list[length] != '\0')
        length += strlen(list + length) + 1;
    return length;
}

ssize_t __wrap_listxattr(const char *path, char *list, size_t size)
{
    if (*had == '\0')
        return __real_listxattr(path, list, size);
    if (size > 0)
        memcpy(list, had, list_length(had));
    return (ssize_t)list_length(had);
}

ssize_t __wrap_getxattr(const char *path, const char *name, void *value, size_t size)
{
    if (*had == '\0')
        return __real_getxattr(path, name, value, size);
    errno = ENODATA; /* of one that was there a moment ago */
    if (strcmp(name, "user.gone") == 0)
        return -1;
    memcpy(value, name, 1);
    return 1;
}

int __wrap_fsetxattr(int descriptor, const char *name, const void *value, size_t size, int flags)
{
    if (*had == '\0')
        return __real_fsetxattr(descriptor, name, value, size, flags);
    errno = EPERM;
    if (strcmp(name, lost) == 0)
        return -1;
    size_t length = strlen(given);
    snprintf(given + length, sizeof given - length, "%s ", name);
    return 0;
}

static const char ATTRIBUTES[] = "user.a\0user.gone\0security.ima\0security.selinux\0"
                                 "system.posix_acl_access\0security.capability\0";

/* What is to be given, and which mode the new file has: it had 0664. */
static bool gives(const char *wanted, mode_t mode)
{
    err e;
    given[0] = '\0';
    had = ATTRIBUTES;
    bool done = scratch_write(scratch_path("file"), "new", &e);
    had = "";
    return done && strcmp(given, wanted) == 0 && scratch_mode("file") == (S_IFREG | mode);
}

static bool list_is_not_anothers(void)
{
    return gives("user.a security.selinux ", 0644);
}

/* Labels go with a file; rights to be root and proofs of what was in it don't. Where who may use it
 * is lost, or is another's, the group may do what all others may. */
static void attributes_are_copied(unit *u)
{
    scratch_put("file", "old", 0664);
    CHECK(u, gives("user.a security.selinux system.posix_acl_access ", 0664));
    lost = "security.selinux";
    CHECK(u, gives("user.a system.posix_acl_access ", 0664));
    lost = "system.posix_acl_access";
    CHECK(u, gives("user.a security.selinux ", 0644));
    lost = "";
    if (getuid() == 0) {
        chmod(scratch_folder(), 0777);
        CHECK(u, chmod(scratch_path("file"), 0664) == 0 &&
                     chown(scratch_path("file"), 65533, 65534) == 0);
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            _exit(setgid(65534) == 0 && setuid(65534) == 0 && list_is_not_anothers() ? 0 : 1);
        CHECK(u, child_ended_well(child));
        chmod(scratch_folder(), 0700);
    }
    unlink(scratch_path("file"));
}

UNIT(sink_refused)
{
    if (!scratch_open(u))
        return;
    calls_fail(u);
    attributes_are_copied(u);
    scratch_close(u);
}
