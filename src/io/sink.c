#define _GNU_SOURCE /* renameat2 */
#include "io/sink.h"

#include "base/mem.h"
#include "base/path.h"
#include "io/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* Bytes that collect before they are written: four times a pipe's buffer, so that a system call's
 * own cost is below a hundredth of the copy's, and small enough to be still in the second-level
 * cache when the kernel copies it. */
enum { BLOCK = 1 << 18 };

enum { MAX_LINKS = 40 }; /* as many symbolic links as Linux itself follows */

static bool fail(const sink *s, int reason, err *e)
{
    const char *name = strcmp(s->file, "-") == 0 ? "standard output" : s->file;
    return err_at(e, &(place){.file = name}, "cannot be written: %s", strerror(reason));
}

/* The number that the path has in `folder`; -1 if the path is not a number in it. */
static int number_in(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    char *end = NULL;
    if (strncmp(path, folder, length) != 0 || path[length] < '0' || path[length] > '9')
        return -1;
    unsigned long long number = strtoull(path + length, &end, 10);
    return *end == '\0' && number <= INT_MAX ? (int)number : -1;
}

/* The open descriptor that a path such as /dev/fd/3 means; -1 if the path means none. */
static int descriptor_of(const char *path)
{
    static const char *const STANDARD[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    int number = number_in("/dev/fd/", path);
    for (int i = 0; i <= STDERR_FILENO; i++) {
        if (strcmp(path, STANDARD[i]) == 0)
            return i;
    }
    return number >= 0 ? number : number_in("/proc/self/fd/", path);
}

/* Follows the links of the file's own name; the file need not exist yet, as it must for realpath.
 * "-" is standard output. Links among the folders stay, since the temporary file next to it goes
 * through them as well. */
static bool find_meant(const char *file, char path[SINK_PATH])
{
    file = strcmp(file, "-") == 0 ? "/dev/stdout" : file;
    size_t length = strlen(file);
    errno = ENAMETOOLONG;
    if (length >= SINK_PATH)
        return false;
    memcpy(path, file, length + 1);
    for (int links = 0; links < MAX_LINKS; links++) {
        struct stat status;
        if (descriptor_of(path) >= 0)
            return true;
        if (lstat(path, &status) < 0)
            return errno == ENOENT;
        if (!S_ISLNK(status.st_mode))
            return true;
        /* What the link points to replaces the link's own name. */
        char to[SINK_PATH];
        ssize_t linked = readlink(path, to, sizeof to);
        if (linked <= 0)
            return false;
        size_t folder = to[0] == '/' ? 0 : path_folder(path);
        errno = ENAMETOOLONG;
        if (folder + (size_t)linked >= SINK_PATH)
            return false;
        memcpy(path + folder, to, (size_t)linked);
        path[folder + (size_t)linked] = '\0';
    }
    errno = ELOOP;
    return false;
}

bool sink_target(const char *file, char path[SINK_PATH])
{
    return find_meant(file, path) && descriptor_of(path) < 0;
}

/* Moves a descriptor past the standard three: if the program was started with standard output
 * closed, a file must not take its number. */
static int away_from_standard(int descriptor)
{
    if (descriptor < 0 || descriptor > STDERR_FILENO)
        return descriptor;
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int reason = errno;
    close(descriptor);
    errno = reason;
    return moved;
}

/* A new file gets the mode that the umask leaves; a replaced one keeps its own, its owner
 * and group, and is never readable by more people in between. */
static bool open_temporary(sink *s, const struct stat *old, err *e)
{
    char *path = temporary_take();
    if (path == NULL)
        return err_at(e, &(place){.file = s->file},
                      "is one output file too many: at most %d are written at once",
                      TEMPORARY_MOST);
    int descriptor = temporary_create(path, s->target, old == NULL ? 0666 : 0600);
    if (descriptor < 0) {
        int reason = errno;
        fail(s, reason, e);
        /* A user who may write the file may wonder why this fails. */
        if (reason == EACCES || reason == EROFS)
            err_remedy(e,
                       "it is made anew next to the old one, so its folder must be writable too");
        return false;
    }
    s->temporary = path;
    s->descriptor = away_from_standard(descriptor);
    if (s->descriptor < 0)
        return fail(s, errno, e);
    s->held = fcntl(s->descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (s->held < 0)
        return fail(s, errno, e);
    if (old != NULL && !ownership_copy(s->descriptor, s->target, old, e))
        return fail(s, errno, e); /* keeps an error that is set already */
    return true;
}

static bool open_file(sink *s, err *e)
{
    char path[SINK_PATH];
    struct stat status;
    if (!find_meant(s->file, path))
        return fail(s, errno, e);
    int number = descriptor_of(path);
    if (number >= 0) {
        /* A copy of the descriptor, so that closing is checked (a network file system reports a
         * full disk only then) and yet standard output stays open, and its number is not given
         * to a file that is opened next. */
        s->descriptor = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        return s->descriptor >= 0 || fail(s, errno, e);
    }
    bool exists = stat(s->file, &status) == 0;
    if (!exists && errno != ENOENT)
        return fail(s, errno, e);
    if (exists && !S_ISREG(status.st_mode)) {
        s->descriptor = away_from_standard(open(s->file, O_WRONLY | O_CLOEXEC | O_NOCTTY));
        return s->descriptor >= 0 || fail(s, errno, e);
    }
    /* Renaming over a file does not ask whether it may be written. A redirection by the shell does,
     * and so do we. */
    if (exists && access(s->file, W_OK) < 0)
        return fail(s, errno, e);
    if (exists && status.st_nlink > 1) {
        /* A new file would leave the other names with the old content, and a file written in place
         * would stay half written after a failure. */
        err_at(e, &(place){.file = s->file},
               "has %zu names (hard links), and a new file would replace only this one",
               (size_t)status.st_nlink);
        return err_remedy(e, "write another file, or remove this name first");
    }
    s->target = mem_copy_text(path, strlen(path), e);
    return s->target != NULL && open_temporary(s, exists ? &status : NULL, e);
}

static bool write_text(const sink *s, const text *all, err *e)
{
    if (!text_ok(all, e))
        return false;
    size_t written = 0;
    while (written < all->length) {
        ssize_t count = write(s->descriptor, all->data + written, all->length - written);
        if (count < 0 && errno != EINTR)
            return fail(s, errno, e);
        if (count > 0)
            written += (size_t)count;
    }
    return true;
}

static bool write_pending(sink *s, err *e)
{
    if (!write_text(s, &s->pending, e))
        return false;
    text_clear(&s->pending);
    return true;
}

static bool close_descriptor(sink *s, err *e)
{
    int result = close(s->descriptor);
    s->descriptor = -1;
    /* On Linux an interrupted close has closed; a second one might close another thread's file. */
    return result == 0 || errno == EINTR ? true : fail(s, errno, e);
}

/* ---- in its place ---- */

/* Two files take each other's names at once; false, with errno, also where no system or file system
 * can do that. */
static bool exchange(const char *path, const char *other)
{
#ifdef RENAME_EXCHANGE
    return renameat2(AT_FDCWD, path, AT_FDCWD, other, RENAME_EXCHANGE) == 0;
#elif defined RENAME_SWAP /* macOS */
    return renamex_np(path, other, RENAME_SWAP) == 0;
#else
    (void)path, (void)other;
    errno = ENOSYS;
    return false;
#endif
}

static bool rename_over(const sink *s, const char *from, err *e)
{
    return rename(from, s->target) == 0 || fail(s, errno, e);
}

/* Exchanges the files, and checks the old one once more when it is out: another program may have
 * replaced or written it meanwhile. Where files can't be exchanged, the check before must do. */
static bool replace_old(const sink *s, err *e)
{
    struct stat in, next, out;
    char aside[SINK_PATH];
    if (!old_file_check(s->over, s->target, e))
        return false;
    /* The clock of files ticks some hundred times a second. So no other program's write can have a
     * time between two ticks, and such a time marks our file. If it can't be set, the size must
     * do. */
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
    clock_gettime(CLOCK_REALTIME, &times[1]);
    futimens(s->held, times);
    if (fstat(s->held, &in) < 0 || !temporary_set_aside(s->temporary, aside))
        return fail(s, errno, e);
    bool is_exchanged = exchange(aside, s->target);
    bool done = is_exchanged ? old_file_check(s->over, aside, e) : rename_over(s, aside, e);
    /* The file that came out is another program's. It goes back, and ours should come out. If yet
     * another one comes out, it was put there meanwhile; it is newer, so it goes back too. */
    next = in;
    for (bool is_back = done || !is_exchanged; !is_back; in = next) {
        stat(aside, &next);
        if (!exchange(aside, s->target)) {
            if (rename(aside, s->target) < 0) { /* no sweep takes it, so it has to be told */
                *e = (err){0};
                err_at(e, &(place){.file = s->file},
                       "was changed by another program meanwhile, which can't go back: %s",
                       strerror(errno));
                err_remedy(e, "what that one wrote is %s", aside);
            }
            return false;
        }
        is_back = stat(aside, &out) < 0 || old_file_is_unchanged(&in, &out);
    }
    unlink(aside);
    return done;
}

static bool replace(const sink *s, err *e)
{
    sigset_t before;
    if (s->over == NULL)
        return rename_over(s, s->temporary, e);
    if (!temporary_hold(s->temporary, &before))
        return fail(s, errno, e);
    bool done = replace_old(s, e);
    temporary_let_go(s->temporary, &before);
    return done;
}

/* Closes the file, with a check, before it gets its name. It stays locked until then. */
static bool put_in_place(sink *s, err *e)
{
    if (s->temporary == NULL)
        return close_descriptor(s, e);
    int folder = -1; /* the folder, which is synced once the file is there; -1: not to be synced */
    bool done = mapping_check_unchanged(e);
    if (done && s->syncs) {
        /* A folder that we may write but not read can't be opened. */
        char path[SINK_PATH];
        snprintf(path, sizeof path, "%.*s.", (int)path_folder(s->target), s->target);
        folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        done = ((folder >= 0 || errno == EACCES) && fsync(s->descriptor) == 0) || fail(s, errno, e);
    }
    done = done && close_descriptor(s, e) && replace(s, e);
    if (done) {
        temporary_release(s->temporary);
        s->temporary = NULL;
        /* A file system may be unable to sync a folder. */
        done = folder < 0 || fsync(folder) == 0 || errno == EINVAL || fail(s, errno, e);
    }
    if (folder >= 0)
        close(folder);
    return done;
}

bool sink_shares_file(const char *file, const char *other)
{
    char path[2][SINK_PATH];
    if (!find_meant(file, path[0]) || !find_meant(other, path[1]))
        return false;
    int number = descriptor_of(path[0]), other_number = descriptor_of(path[1]);
    if (number >= 0 || other_number >= 0)
        return number == other_number;
    /* /dev/null may take several outputs. */
    struct stat status;
    if (stat(file, &status) == 0 && S_ISCHR(status.st_mode))
        return false;
    if (strcmp(path_name(path[0]), path_name(path[1])) != 0)
        return false;
    /* Two paths may lead to one folder through links, so folders are compared by their inodes. */
    struct stat in[2];
    for (int i = 0; i < 2; i++) {
        path[i][path_folder(path[i])] = '\0';
        if (stat(*path[i] == '\0' ? "." : path[i], &in[i]) < 0)
            return false;
    }
    return in[0].st_dev == in[1].st_dev && in[0].st_ino == in[1].st_ino;
}

bool sink_replaces(const char *file)
{
    char path[SINK_PATH];
    struct stat status;
    bool is_open = find_meant(file, path) && descriptor_of(path) >= 0;
    return !is_open && (stat(file, &status) < 0 || S_ISREG(status.st_mode));
}

static bool all_sync;

void sink_sync_all(bool syncs)
{
    all_sync = syncs;
}

bool sink_open(sink *s, const char *file, err *e)
{
    *s = (sink){.file = file, .descriptor = -1, .syncs = all_sync};
    if (open_file(s, e))
        return true;
    sink_discard(s);
    return false;
}

void sink_open_memory(sink *s)
{
    *s = (sink){.descriptor = -1};
}

text *sink_text(sink *s)
{
    return &s->pending;
}

bool sink_spill(sink *s, err *e)
{
    if (s->descriptor < 0)
        return text_ok(&s->pending, e);
    return s->pending.length < BLOCK && !s->pending.failed ? true : write_pending(s, e);
}

bool sink_add(sink *s, const text *more, err *e)
{
    if (s->descriptor >= 0 && more->length >= BLOCK / 4)
        return write_pending(s, e) && write_text(s, more, e);
    if (!text_ok(more, e))
        return false;
    text_add(&s->pending, text_string(more), more->length);
    return sink_spill(s, e);
}

bool sink_flush(sink *s, err *e)
{
    return s->descriptor >= 0 && s->temporary == NULL ? write_pending(s, e) : sink_spill(s, e);
}

bool sink_close(sink *s, err *e)
{
    if (s->file == NULL)
        return text_ok(&s->pending, e);
    bool done = write_pending(s, e) && put_in_place(s, e);
    sink_discard(s);
    return done;
}

void sink_discard(sink *s)
{
    /* A sink without a file has no descriptor, though the field of a zeroed sink is 0. */
    if (s->file != NULL && s->descriptor >= 0)
        close(s->descriptor);
    if (s->held > 0)
        close(s->held);
    if (s->temporary != NULL) {
        unlink(s->temporary);
        temporary_release(s->temporary);
    }
    text_free(&s->pending);
    mem_free(s->target);
    *s = (sink){.descriptor = -1};
}

bool sink_end(sink *s, bool is_whole, err *e)
{
    if (is_whole)
        return sink_close(s, e);
    sink_discard(s);
    return false;
}

bool sink_write_text(const char *file, text *all, bool is_whole, err *e)
{
    sink s;
    bool done = is_whole && text_ok(all, e) && sink_open(&s, file, e) &&
                sink_end(&s, sink_add(&s, all, e), e);
    text_free(all);
    return done;
}

/* ---- how much room there is ---- */

/* A file system without blocks (a network's or a virtual one) does not say what is free. */
bool free_disk(const char *file, uint64_t *bytes)
{
    struct stat status;
    struct statvfs disk;
    char folder[SINK_PATH];
    int length = (int)path_folder(file);
    bool is_output = strcmp(file, "-") == 0;
    bool is_there = (is_output ? fstat(STDOUT_FILENO, &status) : stat(file, &status)) == 0;
    if (is_there && !S_ISREG(status.st_mode))
        return false;
    /* The new file lies next to the old one until it is whole, so the old one's bytes don't count
     * as free. */
    snprintf(folder, sizeof folder, "%.*s", length > 0 ? length : 1, length > 0 ? file : ".");
    if ((is_output ? fstatvfs(STDOUT_FILENO, &disk) : statvfs(is_there ? file : folder, &disk)) < 0)
        return false;
    *bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    return disk.f_blocks > 0;
}
