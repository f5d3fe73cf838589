#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, madvise */
#include "base/reserve.h"

#include <sys/mman.h>

void *reserve_new(size_t bytes, err *e)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED)
        return at;
    err_no_memory(e, bytes);
    return NULL;
}

void reserve_clear(void *start, size_t bytes)
{
    madvise(start, bytes, MADV_DONTNEED); /* where it fails the pages stay, which is not harm */
}

void reserve_free(void *start, size_t bytes)
{
    if (start != NULL)
        munmap(start, bytes);
}
