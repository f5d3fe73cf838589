#define _DEFAULT_SOURCE /* fchown */
#include "io/temporary.h"

#include "base/mem.h"
#include "base/path.h"
#include "io/sink.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_ATTEMPTS = 100,
    MAX_WAIT = 1000 /* milliseconds that a dying program waits for another thread's file system */
};

static const char BEGINNING[] = ".selfattn-", ENDING[] = ".tmp", ASIDE[] = ".old";
enum { DIGITS = 16 };

/* The temporary files that exist now. A fixed table in static memory, because a signal handler
 * walks it, at any moment and on any thread.
 *
 * No file escapes it. A thread that makes one says OPENING (HELD, if it puts it in its place) and
 * then looks at is_ending; the handler sets is_ending and then looks at the states. So one of the
 * two sees the other: either the thread makes no file any more, or the handler waits until the file
 * is LIVE and removes it. A name that the handler may read never changes, for the same reason. The
 * handler never waits for the thread that it interrupted, since a thread blocks signals while it
 * makes a file. */
enum { FREE, TAKEN, HELD, OPENING, LIVE }; /* HELD and OPENING are waited for */
static struct {
    atomic_int state;
    char path[SINK_PATH];
} temporaries[TEMPORARY_MOST];
static atomic_bool is_ending;

static atomic_int *state_of(const char *path)
{
    int slot = 0;
    while (temporaries[slot].path != path)
        slot++;
    return &temporaries[slot].state;
}

char *temporary_take(void)
{
    for (int slot = 0; slot < TEMPORARY_MOST; slot++) {
        int expected = FREE;
        if (atomic_compare_exchange_strong(&temporaries[slot].state, &expected, TAKEN))
            return temporaries[slot].path;
    }
    return NULL;
}

void temporary_release(const char *path)
{
    atomic_store(state_of(path), FREE);
}

/* ---- what others left ---- */

/* A run that writes many files into a folder looks through it once. Files that can't be examined
 * are left as they are. */
static void sweep(const char *target, size_t length)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char swept[SINK_PATH];
    char folder[SINK_PATH];
    snprintf(folder, sizeof folder, "%.*s.", (int)length, target);
    pthread_mutex_lock(&lock);
    bool is_swept = strcmp(folder, swept) == 0;
    memcpy(swept, folder, sizeof swept);
    pthread_mutex_unlock(&lock);
    DIR *all = is_swept ? NULL : opendir(folder);
    if (all == NULL)
        return;
    for (struct dirent *one; (one = readdir(all)) != NULL;) {
        const char *name = one->d_name, *digits = name + sizeof BEGINNING - 1;
        if (strncmp(name, BEGINNING, sizeof BEGINNING - 1) != 0 ||
            strspn(digits, "0123456789abcdef") != DIGITS || strcmp(digits + DIGITS, ENDING) != 0)
            continue;
        /* Only selfattn makes files of such names. If the lock can be taken, the process that made
         * the file is gone. */
        struct stat status;
        int file = openat(dirfd(all), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
            status.st_nlink == 1 && flock(file, LOCK_SH | LOCK_NB) == 0)
            unlinkat(dirfd(all), name, 0);
        if (file >= 0)
            close(file);
    }
    closedir(all);
}

/* ---- a new one ---- */

/* 64 bits that another program can't foresee well enough to make the name first; O_EXCL refuses
 * what it made all the same. The address differs from run to run, the clock from call to call, the
 * process from its neighbours. */
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

/* Locks the file if its system can. False if another process locked or removed it: before it was
 * locked, it looked like a file that was left. */
static bool lock(int descriptor)
{
    struct stat status;
    if (flock(descriptor, LOCK_EX | LOCK_NB) < 0)
        return errno != EWOULDBLOCK;
    return fstat(descriptor, &status) < 0 || status.st_nlink > 0;
}

int temporary_create(char *path, const char *target, mode_t mode)
{
    size_t folder = path_folder(target);
    atomic_int *state = state_of(path);
    sigset_t all, before;
    int descriptor = -1;
    sweep(target, folder);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    atomic_store(state, OPENING);
    errno = EEXIST;
    for (int attempt = 0; attempt < MAX_ATTEMPTS && descriptor < 0 && errno == EEXIST; attempt++) {
        errno = EINTR;
        if (atomic_load(&is_ending))
            break;
        int length = snprintf(path, SINK_PATH, "%.*s%s%0*llx%s", (int)folder, target, BEGINNING,
                              DIGITS, (unsigned long long)unforeseen(), ENDING);
        errno = ENAMETOOLONG;
        if (length < SINK_PATH)
            descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor >= 0 && !lock(descriptor)) {
            unlink(path);
            close(descriptor);
            descriptor = -1;
            errno = EEXIST;
        }
    }
    atomic_store(state, descriptor < 0 ? FREE : LIVE);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return descriptor;
}

bool temporary_hold(const char *path, sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
    atomic_store(state_of(path), HELD);
    errno = EINTR;
    if (!atomic_load(&is_ending))
        return true;
    temporary_let_go(path, before);
    return false;
}

void temporary_let_go(const char *path, const sigset_t *before)
{
    int reason = errno;
    atomic_store(state_of(path), LIVE);
    pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = reason;
}

bool temporary_set_aside(const char *path, char aside[SINK_PATH])
{
    snprintf(aside, SINK_PATH, "%.*s%s", (int)(strlen(path) - strlen(ENDING)), path, ASIDE);
    return rename(path, aside) == 0;
}

void temporary_remove_all(void)
{
    atomic_store(&is_ending, true);
    for (int slot = 0; slot < TEMPORARY_MOST; slot++) {
        const atomic_int *state = &temporaries[slot].state;
        for (int waited = 0; waited < MAX_WAIT; waited++) {
            int now = atomic_load(state);
            if (now < HELD || now > OPENING)
                break;
            poll(NULL, 0, 1);
        }
        /* If a name is OPENING for too long, its file may exist or not: removing it does no harm.
         * If a name is HELD for too long, the file may already be another program's. */
        if (atomic_load(state) >= OPENING)
            unlink(temporaries[slot].path);
    }
}

/* ---- whose a file is ---- */

#ifdef __linux__
#include <sys/xattr.h>

static const char ACCESS_LIST[] = "system.posix_acl_access";

/* Linux's XATTR_LIST_MAX and XATTR_SIZE_MAX. */
enum { MOST_BYTES = 1 << 16 };

/* *is_kept: an access list, if there is one, was copied. Without it the list's mask would become
 * the group's mode. */
static bool copy_attributes(int descriptor, const char *path, bool is_ours, bool *is_kept, err *e)
{
    ssize_t length = listxattr(path, NULL, 0);
    fremovexattr(descriptor, ACCESS_LIST); /* which a new file inherits from its folder */
    *is_kept = true;
    if (length <= 0)
        return true;
    char *names = mem_alloc(2, MOST_BYTES, e);
    if (names == NULL)
        return false;
    char *value = names + MOST_BYTES;
    length = listxattr(path, names, MOST_BYTES);
    *is_kept = length >= 0;
    for (ssize_t at = 0; at < length; at += (ssize_t)strlen(names + at) + 1) {
        const char *name = names + at;
        bool is_list = strcmp(name, ACCESS_LIST) == 0;
        /* Of the kernel's security attributes, a label is copied. The right to be root (capability)
         * and the proof of the old content (ima, evm) are not. */
        bool may_be = (is_ours || !is_list) &&
                      (strncmp(name, "security.", 9) != 0 || strcmp(name, "security.selinux") == 0);
        ssize_t size = may_be ? getxattr(path, name, value, MOST_BYTES) : -1;
        bool done = size >= 0 && fsetxattr(descriptor, name, value, (size_t)size, 0) == 0;
        *is_kept = *is_kept && (done || !is_list);
    }
    mem_free(names);
    return true;
}
#else
static bool copy_attributes(int descriptor, const char *path, bool is_ours, bool *is_kept, err *e)
{
    (void)descriptor, (void)path, (void)is_ours, (void)e;
    *is_kept = true;
    return true;
}
#endif

bool ownership_copy(int descriptor, const char *path, const struct stat *old, err *e)
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
    if (!copy_attributes(descriptor, path, is_ours, &is_kept, e))
        return false;
    if (!is_ours)
        mode &= ~(mode_t)(S_ISUID | S_ISGID);
    if (!is_of_group || !is_kept)
        mode &= ~(mode_t)S_IRWXG | (mode & S_IRWXO) << 3;
    return fchmod(descriptor, mode) == 0;
}
