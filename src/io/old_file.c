#define _DEFAULT_SOURCE /* flock */
#include "io/old_file.h"

#include "io/source.h"

#include <errno.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool old_file_is_unchanged(const struct stat *before, const struct stat *now)
{
    return is_same_file(before, now) && file_is_unwritten(before, now) &&
           before->st_mode == now->st_mode && before->st_uid == now->st_uid &&
           before->st_gid == now->st_gid && before->st_nlink == now->st_nlink;
}

/* Of a file of that size. The clock of files ticks some hundred times a second, so two changes may
 * bear one time. */
static bool holds_the_same(const old_file *o)
{
    char block[1 << 14];
    size_t at = 0;
    while (at < o->read.length) {
        ssize_t got = pread(o->descriptor, block, sizeof block, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        size_t left = o->read.length - at;
        errno = got < 0 ? errno : ESTALE;
        if (got <= 0 || (size_t)got > left || memcmp(block, o->read.bytes + at, (size_t)got) != 0)
            return false;
        at += (size_t)got;
    }
    return true;
}

bool old_file_check(const old_file *o, const char *path, err *e)
{
    place at = {.file = o->read.file};
    struct stat there, now;
    bool is_known = stat(path, &there) == 0 && fstat(o->descriptor, &now) == 0;
    errno = is_known ? ESTALE : errno;
    if (is_known && is_same_file(&there, &now) && old_file_is_unchanged(&o->seen, &now) &&
        (size_t)now.st_size == o->read.length && holds_the_same(o))
        return true;
    if (errno != ESTALE && errno != ENOENT)
        return err_at(e, &at, "cannot be read: %s", strerror(errno));
    err_at(e, &at, "was changed by another program meanwhile");
    return err_remedy(e, "it is left as that one wrote it; run the command again");
}

static bool read_locked(old_file *o, const char *file, err *e)
{
    place at = {.file = file};
    if (flock(o->descriptor, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        err_at(e, &at, "is locked by another program");
        return err_remedy(e, "run the command again once that one has ended");
    }
    if (fstat(o->descriptor, &o->seen) < 0)
        return err_at(e, &at, "cannot be read: %s", strerror(errno));
    return source_read(&o->read, file, o->descriptor, e) && old_file_check(o, file, e);
}

bool old_file_open(old_file *o, const char *file, err *e)
{
    *o = (old_file){.read.file = file, .descriptor = descriptor_open(file, e)};
    if (o->descriptor >= 0 && read_locked(o, file, e))
        return true;
    old_file_close(o);
    return false;
}

void old_file_close(old_file *o)
{
    if (o->read.file != NULL && o->descriptor >= 0)
        close(o->descriptor);
    source_close(&o->read);
    *o = (old_file){0};
}
