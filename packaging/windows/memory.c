#include "windows_api.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- blocks ----
 *
 * C's functions can't free what has an alignment, so all blocks have one. Where the heap's own block
 * begins is kept before the block. */

enum { ALIGNMENT = 64, MORE = ALIGNMENT + sizeof(void *) };

static void **aligned_at(char *begin)
{
    uintptr_t least = (uintptr_t)begin + sizeof(void *) + ALIGNMENT - 1;
    return (void **)(least - least % ALIGNMENT);
}

static char *begin_of(void *block)
{
    return ((void **)block)[-1];
}

void *malloc(size_t bytes)
{
    char *begin = bytes > SIZE_MAX - MORE ? NULL : HeapAlloc(GetProcessHeap(), 0, bytes + MORE);
    if (begin == NULL)
        return NULL;
    void **block = aligned_at(begin);
    block[-1] = begin;
    return block;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    (void)alignment;
    return malloc(bytes);
}

void *calloc(size_t count, size_t size)
{
    size_t bytes;
    void *block = __builtin_mul_overflow(count, size, &bytes) ? NULL : malloc(bytes);
    return block == NULL ? NULL : memset(block, 0, bytes);
}

size_t malloc_usable_size(void *block)
{
    char *begin = begin_of(block);
    return HeapSize(GetProcessHeap(), 0, begin) - (size_t)((char *)block - begin);
}

void *realloc(void *block, size_t bytes)
{
    if (block == NULL)
        return malloc(bytes);
    size_t before = malloc_usable_size(block), at = (size_t)((char *)block - begin_of(block));
    char *begin = bytes > SIZE_MAX - MORE
                      ? NULL
                      : HeapReAlloc(GetProcessHeap(), 0, begin_of(block), bytes + MORE);
    if (begin == NULL)
        return NULL;
    void **moved = aligned_at(begin);
    memmove(moved, begin + at, before < bytes ? before : bytes);
    moved[-1] = begin;
    return moved;
}

void free(void *block)
{
    if (block != NULL)
        HeapFree(GetProcessHeap(), 0, begin_of(block));
}

/* ---- mappings ---- */

enum { PAGE = 4096 };

/* Addresses at which this thread freed memory for a file that could not take its place. */
static _Thread_local void *lost;

static void *map_file(void *at, size_t length, int descriptor)
{
    MEMORY_BASIC_INFORMATION there;
    HANDLE mapping = length % PAGE == 0 ? NULL
                                        : CreateFileMappingW(handle_of(descriptor), NULL,
                                                             PAGE_READONLY, 0, 0, NULL);
    if (mapping == NULL)
        return MAP_FAILED;
    void *mapped = NULL;
    if (VirtualQuery(at, &there, sizeof there) > 0 && there.AllocationBase == at &&
        VirtualFree(at, 0, MEM_RELEASE)) {
        mapped = MapViewOfFileEx(mapping, FILE_MAP_READ, 0, 0, length, at);
        lost = mapped == NULL ? at : NULL;
    }
    CloseHandle(mapping); /* the view keeps it */
    return mapped == NULL ? MAP_FAILED : mapped;
}

void *mmap(void *at, size_t length, int protection, int how, int descriptor, off_t from)
{
    (void)from;
    if (how & MAP_FIXED)
        return map_file(at, length, descriptor);
    bool is_written = protection & PROT_WRITE;
    void *given = VirtualAlloc(at, length, is_written ? MEM_RESERVE | MEM_COMMIT : MEM_RESERVE,
                               is_written ? PAGE_READWRITE : PAGE_NOACCESS);
    errno = ENOMEM;
    return given == NULL ? MAP_FAILED : given;
}

int munmap(void *at, size_t length)
{
    MEMORY_BASIC_INFORMATION there;
    (void)length;
    if (at == lost) {
        lost = NULL;
        return 0;
    }
    if (VirtualQuery(at, &there, sizeof there) > 0 && there.Type == MEM_MAPPED)
        return UnmapViewOfFile(at) ? 0 : failed();
    return VirtualFree(at, 0, MEM_RELEASE) ? 0 : failed();
}

int madvise(void *start, size_t bytes, int advice)
{
    if (advice != MADV_DONTNEED)
        return -1;
    return VirtualAlloc(start, bytes, MEM_RESET, PAGE_READWRITE) != NULL ? 0 : failed();
}
