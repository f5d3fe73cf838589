#include "io/sink.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Bytes that collect before they are written: four times a pipe's buffer, so that a system call's
 * own cost is below a hundredth of the copy's, and small enough to be still in the second-level
 * cache when the kernel copies it. */
enum { BLOCK = 1 << 18 };

enum {
    MAX_TEMPORARIES = 32, /* -o, --trace-output and a --write for each of the stages */
    MAX_PATH = 4096,      /* Linux's PATH_MAX, its NUL included */
    MAX_LINKS = 40,       /* as many symbolic links as Linux itself follows */
    MAX_ATTEMPTS = 100,
    MAX_WAIT = 1000 /* milliseconds that a dying program waits for another thread's file system */
};

/* The temporary files that exist now. A fixed table in static memory, because a signal handler
 * walks it, at any moment and on any thread.
 *
 * No file escapes it. A thread that makes one says OPENING and then looks at is_ending; the handler
 * sets is_ending and then looks at the states. So one of the two sees the other: the thread makes
 * no file any more, or the handler waits until the file is LIVE and removes it. For the same reason
 * no name changes that the handler reads. It never waits for the thread that it interrupts, since
 * that one blocks signals while it is OPENING. */
enum { FREE, TAKEN, OPENING, LIVE };
static struct {
    atomic_int state;
    char path[MAX_PATH];
} temporaries[MAX_TEMPORARIES];
static atomic_bool is_ending;

static bool fail(const sink *s, int reason, err *e)
{
    const char *name = strcmp(s->file, "-") == 0 ? "standard output" : s->file;
    return err_at(e, &(place){.file = name}, "cannot be written: %s", strerror(reason));
}

/* The length of the folder's part of a path, with its slash: 0 for a bare name. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* Puts what the symbolic link `path` points to in its place. */
static bool follow_link(char path[MAX_PATH])
{
    char to[MAX_PATH];
    ssize_t length = readlink(path, to, sizeof to);
    if (length < 0)
        return false;
    size_t folder = length > 0 && to[0] == '/' ? 0 : folder_length(path);
    if (folder + (size_t)length >= MAX_PATH) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(path + folder, to, (size_t)length);
    path[folder + (size_t)length] = '\0';
    return true;
}

/* The number behind `folder`, where the path is one in it; -1: it is none. */
static int number_in(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    char *end = NULL;
    if (strncmp(path, folder, length) != 0 || path[length] < '0' || path[length] > '9')
        return -1;
    long number = strtol(path + length, &end, 10);
    return *end == '\0' && number <= INT_MAX ? (int)number : -1;
}

/* The descriptor that a name of the system's means, which is open already; -1: no such name. */
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

/* The file that is meant, which need not exist yet. realpath would want it to, and links among the
 * folders need no resolving: the temporary neighbour goes through them as well. */
static bool follow_links(const char *file, char path[MAX_PATH])
{
    size_t length = strlen(file);
    errno = ENAMETOOLONG;
    if (length >= MAX_PATH)
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
        if (!follow_link(path))
            return false;
    }
    errno = ELOOP;
    return false;
}

/* The same of an output: "-" is standard output. */
static bool find_meant(const char *file, char path[MAX_PATH])
{
    return follow_links(strcmp(file, "-") == 0 ? "/dev/stdout" : file, path);
}

/* Any 64 bits that nobody can foresee well enough to lie in wait for the name; O_EXCL refuses the
 * rest. The address differs from run to run, the clock from call to call, the process from its
 * neighbours. */
static uint64_t unforeseen(void)
{
    static atomic_uint calls;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t bits = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    bits ^= (uint64_t)getpid() << 40 ^ (uint64_t)(uintptr_t)&now;
    bits += atomic_fetch_add(&calls, 1);
    /* Mixes all of them: MurmurHash3's finalizer. */
    bits = (bits ^ bits >> 33) * 0xff51afd7ed558ccdu;
    bits = (bits ^ bits >> 33) * 0xc4ceb9fe1a85ec53u;
    return bits ^ bits >> 33;
}

/* A place in the table, or -1. */
static int slot_take(void)
{
    for (int slot = 0; slot < MAX_TEMPORARIES; slot++) {
        int expected = FREE;
        if (atomic_compare_exchange_strong(&temporaries[slot].state, &expected, TAKEN))
            return slot;
    }
    return -1;
}

static void slot_release(const char *path)
{
    for (int slot = 0; slot < MAX_TEMPORARIES; slot++) {
        if (temporaries[slot].path == path)
            atomic_store(&temporaries[slot].state, FREE);
    }
}

/* A file of a new name in the target's folder, for a slot that is OPENING; -1: there is none. */
static int create_once(const char *target, int slot, mode_t mode)
{
    char *path = temporaries[slot].path;
    errno = EINTR;
    if (atomic_load(&is_ending))
        return -1;
    int length = snprintf(path, MAX_PATH, "%.*s.selfattn-%016llx.tmp", (int)folder_length(target),
                          target, (unsigned long long)unforeseen());
    errno = ENAMETOOLONG;
    return length < MAX_PATH ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode) : -1;
}

/* The slot is LIVE then; or FREE, the answer is -1, and nothing is left behind. */
static int create_beside(const char *target, int slot, mode_t mode)
{
    sigset_t all, before;
    int descriptor = -1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    atomic_store(&temporaries[slot].state, OPENING);
    errno = EEXIST;
    for (int attempt = 0; attempt < MAX_ATTEMPTS && descriptor < 0 && errno == EEXIST; attempt++)
        descriptor = create_once(target, slot, mode);
    atomic_store(&temporaries[slot].state, descriptor < 0 ? FREE : LIVE);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return descriptor;
}

/* A descriptor behind the standard three: if a caller started us with standard output closed, a
 * file must not become it. */
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

/* Somebody who may write the file may wonder why it can't be done. */
static bool fail_beside(const sink *s, int reason, err *e)
{
    fail(s, reason, e);
    if (reason == EACCES || reason == EROFS)
        err_remedy(e, "it is made anew beside the old one, so its folder must be writable too");
    return false;
}

/* A new file gets the mode that the umask leaves; a replaced one keeps its own, and is never
 * readable by more people in between. */
static bool open_temporary(sink *s, const struct stat *old, err *e)
{
    int slot = slot_take();
    if (slot < 0)
        return err_at(e, &(place){.file = s->file},
                      "is one output file too many: at most %d are written at once",
                      MAX_TEMPORARIES);
    int descriptor = create_beside(s->target, slot, old == NULL ? 0666 : 0600);
    if (descriptor < 0)
        return fail_beside(s, errno, e);
    s->temporary = temporaries[slot].path;
    s->descriptor = away_from_standard(descriptor);
    if (s->descriptor < 0)
        return fail(s, errno, e);
    if (old != NULL && fchmod(s->descriptor, old->st_mode & 07777) < 0)
        return fail(s, errno, e);
    return true;
}

/* A copy of the descriptor, so that closing is checked (a network file system reports a full disk
 * only then) and yet standard output stays open, and its number is not given to a file that is
 * opened next. */
static bool open_copy(sink *s, int number, err *e)
{
    s->descriptor = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return s->descriptor >= 0 ? true : fail(s, errno, e);
}

static bool open_file(sink *s, err *e)
{
    char path[MAX_PATH];
    struct stat status;
    if (!find_meant(s->file, path))
        return fail(s, errno, e);
    int number = descriptor_of(path);
    if (number >= 0)
        return open_copy(s, number, e);
    bool exists = stat(s->file, &status) == 0;
    if (!exists && errno != ENOENT)
        return fail(s, errno, e);
    if (exists && !S_ISREG(status.st_mode)) {
        s->descriptor = away_from_standard(open(s->file, O_WRONLY | O_CLOEXEC | O_NOCTTY));
        return s->descriptor >= 0 ? true : fail(s, errno, e);
    }
    /* Renaming over a file asks nobody whether it may be written; a redirection by the shell
     * would, and so do we. */
    if (exists && access(s->file, W_OK) < 0)
        return fail(s, errno, e);
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
    /* An interrupted close has closed (Linux); a second one might close somebody else's file. */
    return result == 0 || errno == EINTR ? true : fail(s, errno, e);
}

static bool rename_to_target(sink *s, err *e)
{
    if (s->target == NULL)
        return true;
    if (rename(s->temporary, s->target) < 0)
        return fail(s, errno, e);
    slot_release(s->temporary);
    s->temporary = NULL;
    return true;
}

/* Links among the folders are followed here: they may lead to one folder. */
static bool is_in_one_folder(const char *path, const char *other)
{
    char folder[2][MAX_PATH];
    struct stat status[2];
    const char *paths[2] = {path, other};
    for (int i = 0; i < 2; i++) {
        size_t length = folder_length(paths[i]);
        snprintf(folder[i], MAX_PATH, "%.*s", (int)length, paths[i]);
        if (stat(length == 0 ? "." : folder[i], &status[i]) < 0)
            return false;
    }
    return status[0].st_dev == status[1].st_dev && status[0].st_ino == status[1].st_ino;
}

/* /dev/null takes more than one output. */
static bool is_device(const char *file)
{
    struct stat status;
    return stat(file, &status) == 0 && S_ISCHR(status.st_mode);
}

bool sink_shares_file(const char *file, const char *other)
{
    char path[2][MAX_PATH];
    if (!find_meant(file, path[0]) || !find_meant(other, path[1]))
        return false;
    int number = descriptor_of(path[0]), other_number = descriptor_of(path[1]);
    if (number >= 0 || other_number >= 0)
        return number == other_number;
    if (is_device(file))
        return false;
    return strcmp(path[0] + folder_length(path[0]), path[1] + folder_length(path[1])) == 0 &&
           is_in_one_folder(path[0], path[1]);
}

bool sink_replaces(const char *file)
{
    char path[MAX_PATH];
    struct stat status;
    if (find_meant(file, path) && descriptor_of(path) >= 0)
        return false;
    return stat(file, &status) < 0 || S_ISREG(status.st_mode);
}

bool sink_open(sink *s, const char *file, err *e)
{
    *s = (sink){.file = file, .descriptor = -1};
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
    bool is_written_directly = s->descriptor >= 0 && s->temporary == NULL;
    return is_written_directly ? write_pending(s, e) : sink_spill(s, e);
}

bool sink_secure(sink *s, err *e)
{
    if (s->temporary == NULL)
        return true;
    return write_pending(s, e) && (fsync(s->descriptor) == 0 || fail(s, errno, e));
}

bool sink_close(sink *s, err *e)
{
    if (s->file == NULL)
        return text_ok(&s->pending, e);
    bool done = write_pending(s, e) && close_descriptor(s, e) && rename_to_target(s, e);
    sink_discard(s);
    return done;
}

void sink_discard(sink *s)
{
    /* Without a file there is no descriptor, though the field of a zeroed sink says 0. */
    if (s->file != NULL && s->descriptor >= 0)
        close(s->descriptor);
    if (s->temporary != NULL) {
        unlink(s->temporary);
        slot_release(s->temporary);
    }
    text_free(&s->pending);
    mem_free(s->target);
    *s = (sink){.descriptor = -1};
}

/* A name that is OPENING for too long may be there or not: removing it does no harm. */
static bool may_be_there(int slot)
{
    const atomic_int *state = &temporaries[slot].state;
    for (int waited = 0; atomic_load(state) == OPENING && waited < MAX_WAIT; waited++)
        poll(NULL, 0, 1);
    return atomic_load(state) >= OPENING;
}

void sink_remove_temporaries(void)
{
    atomic_store(&is_ending, true);
    for (int slot = 0; slot < MAX_TEMPORARIES; slot++) {
        if (may_be_there(slot))
            unlink(temporaries[slot].path);
    }
}
