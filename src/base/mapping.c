#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise */
#include "base/mapping.h"

#include "base/mem.h"

#include <sys/mman.h>

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

mapping *mapping_new(int descriptor, size_t length)
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
    if (m->start != NULL)
        return m;
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
    munmap(m->start, m->reserved);
    mem_free(m);
}
