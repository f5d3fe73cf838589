#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise */
#include "base/mapping.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

/* The names of the files that are mapped now: a fixed table in static memory, because a signal
 * handler reads it while other threads map and release. A slot is TAKEN while it is filled; only
 * a LIVE one is read. The one that holds the handler's address stays as it is, since that address
 * is being read; of another, which may change meanwhile, `start` is looked at twice. */
enum { MAX_NAMED = 64 };
enum { FREE, TAKEN, LIVE };
static struct {
    atomic_int state;
    atomic_uintptr_t start;
    atomic_size_t length;
    char name[PATH_MAX];
} named[MAX_NAMED];

/* A file beyond as many as there are slots has no name. */
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

static void slot_release(int slot)
{
    if (slot >= 0)
        atomic_store(&named[slot].state, FREE);
}

static bool slot_holds(int slot, uintptr_t address)
{
    uintptr_t start = atomic_load(&named[slot].start);
    return atomic_load(&named[slot].state) == LIVE && address >= start &&
           address - start < atomic_load(&named[slot].length) &&
           atomic_load(&named[slot].start) == start;
}

const char *mapping_name_at(const void *address)
{
    for (int slot = 0; slot < MAX_NAMED; slot++) {
        if (slot_holds(slot, (uintptr_t)address))
            return named[slot].name;
    }
    return NULL;
}

/* Memory that reads as zeros, and at its beginning the file: behind a file that ends with its page
 * one more page follows, whose first byte is the NUL. */
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
    m->start = map_with_nul(descriptor, length, reserved);
    m->bytes = m->start;
    if (m->start != NULL) {
        m->slot = slot_take(m->start, length, file);
        return m;
    }
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
    slot_release(m->slot);
    munmap(m->start, m->reserved);
    mem_free(m);
}
