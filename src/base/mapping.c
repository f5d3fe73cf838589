#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise */
#include "base/mapping.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* The names of the files that are mapped now: a fixed table in static memory, because a signal
 * handler reads it while other threads map and release. A slot is TAKEN while it is filled; only a
 * LIVE one is read. The slot of the address that the handler asks for can't change, since that
 * address is being read. Another slot may change while the handler looks, so it reads `start`
 * twice. */
enum { MAX_NAMED = 64 };
enum { FREE, TAKEN, LIVE };
static struct {
    atomic_int state;
    atomic_uintptr_t start;
    atomic_size_t length;
    char name[PATH_MAX];
} named[MAX_NAMED];

/* When all slots are taken, a further file has no name. */
static int slot_take(const void *start, size_t length, const char *name)
{
    for (int slot = 0; slot < MAX_NAMED; slot++) {
        int expected = FREE;
        if (!atomic_compare_exchange_strong(&named[slot].state, &expected, TAKEN))
            continue;
        atomic_store(&named[slot].start, (uintptr_t)start);
        atomic_store(&named[slot].length, length);
        snprintf(named[slot].name, sizeof named[slot].name, "%s", name);
        utf8_make_printable(named[slot].name);
        atomic_store(&named[slot].state, LIVE);
        return slot;
    }
    return -1;
}

const char *mapping_name_at(const void *address)
{
    uintptr_t at = (uintptr_t)address;
    for (int slot = 0; slot < MAX_NAMED; slot++) {
        uintptr_t start = atomic_load(&named[slot].start);
        /* If the address lies before the start, the difference wraps round and exceeds any
         * length. */
        bool is_it = atomic_load(&named[slot].state) == LIVE;
        is_it &= at - start < atomic_load(&named[slot].length);
        is_it &= atomic_load(&named[slot].start) == start; /* not another file's by now */
        if (is_it)
            return named[slot].name;
    }
    return NULL;
}

/* Maps zeros, and over their beginning the file. One more page is reserved for a file that fills
 * its last page, so that a NUL follows in any case. */
static void *map_with_nul(int descriptor, size_t length, size_t reserved)
{
    void *at = mmap(NULL, reserved, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    if (mmap(at, length, PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor, 0) == MAP_FAILED) {
        munmap(at, reserved);
        return NULL;
    }
    madvise(at, length, MADV_SEQUENTIAL); /* a hint: it may fail */
    return at;
}

/* ---- whether files stay as they are ---- */

enum { NONE_CHANGED = -2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mapping *all;
/* The slot of the first file that was seen to have changed, which is kept for its name. */
static int changed = NONE_CHANGED;

bool file_is_unwritten(const struct stat *before, const struct stat *now)
{
    return before->st_size == now->st_size && before->st_mtim.tv_sec == now->st_mtim.tv_sec &&
           before->st_mtim.tv_nsec == now->st_mtim.tv_nsec;
}

/* The caller holds the lock. A file whose state can't be read counts as unchanged. */
static void look(const mapping *m)
{
    struct stat now;
    if (changed != NONE_CHANGED || fstat(m->descriptor, &now) < 0)
        return;
    if (!file_is_unwritten(&m->seen, &now))
        changed = m->slot;
}

bool mapping_check_unchanged(err *e)
{
    pthread_mutex_lock(&lock);
    for (const mapping *m = all; m != NULL; m = m->next)
        look(m);
    int found = changed;
    pthread_mutex_unlock(&lock);
    place at = {.file = found < 0 ? "an input file" : named[found].name};
    return found == NONE_CHANGED || err_at(e, &at, "was changed while it was read");
}

mapping *mapping_new(int descriptor, size_t length, const char *file)
{
    err ignored = {0};
    size_t reserved;
    if (!size_add(length, 1, &reserved))
        return NULL;
    mapping *m = mem_alloc(1, sizeof *m, &ignored);
    if (m == NULL)
        return NULL;
    *m = (mapping){.users = 1, .length = length, .reserved = reserved};
    bool is_known = fstat(descriptor, &m->seen) == 0 && m->seen.st_size >= (off_t)length;
    m->descriptor = is_known ? fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
    m->start = m->descriptor < 0 ? NULL : map_with_nul(descriptor, length, reserved);
    m->bytes = m->start;
    if (m->start != NULL) {
        m->seen.st_size = (off_t)length; /* more of it is a change */
        m->slot = slot_take(m->start, length, file);
        pthread_mutex_lock(&lock);
        m->next = all;
        all = m;
        pthread_mutex_unlock(&lock);
        return m;
    }
    if (m->descriptor >= 0)
        close(m->descriptor);
    mem_free(m);
    return NULL;
}

mapping *mapping_share(mapping *m)
{
    m->users++;
    return m;
}

void mapping_release(mapping *m)
{
    if (m == NULL || --m->users > 0)
        return;
    mapping **at = &all;
    pthread_mutex_lock(&lock);
    look(m);
    while (*at != m)
        at = &(*at)->next;
    *at = m->next;
    if (m->slot != changed) {
        if (m->slot >= 0)
            atomic_store(&named[m->slot].state, FREE);
    } else if (m->slot >= 0)
        atomic_store(&named[m->slot].length, 0);
    pthread_mutex_unlock(&lock);
    close(m->descriptor); /* nothing was written, so nothing can be lost here */
    munmap(m->start, m->reserved);
    mem_free(m);
}
