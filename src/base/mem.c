#define _DEFAULT_SOURCE /* madvise */
#include "base/mem.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

bool size_mul(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

bool size_add(size_t a, size_t b, size_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

bool size_add_product(size_t *sum, size_t a, size_t b)
{
    size_t product;
    return size_mul(a, b, &product) && size_add(*sum, product, sum);
}

size_t size_larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* From here on blocks are aligned: glibc hands out smaller ones from lists a thread, in a tenth of
 * aligned_alloc's time, and a small document asks for dozens. */
enum { ALIGNED_LEAST = 1024 };

/* count × size, never 0; aligned blocks in whole alignments, as aligned_alloc wants them. */
static bool block_bytes(size_t count, size_t size, size_t *bytes, err *e)
{
    size_t padded;
    if (!size_mul(count, size, bytes) || !size_add(*bytes, MEM_ALIGN, &padded))
        return err_set(e,
                       "out of memory: %zu elements of %zu bytes are more than an address can hold",
                       count, size);
    if (*bytes >= ALIGNED_LEAST)
        *bytes = padded / MEM_ALIGN * MEM_ALIGN;
    *bytes += *bytes == 0;
    return true;
}

/* Large blocks in large pages, where the system has them on request: a hint, that saves most of the
 * first touches' cost. */
static void ask_for_large_pages(void *block, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    static const size_t PAGE = (size_t)2 << 20;
    size_t before = (PAGE - (uintptr_t)block % PAGE) % PAGE;
    if (bytes >= 2 * PAGE)
        madvise((char *)block + before, (bytes - before) / PAGE * PAGE, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}

/* What a caller gets of malloc or realloc. */
static void *block_of(void *given, size_t bytes, err *e)
{
    if (given == NULL)
        err_no_memory(e, bytes);
    else
        ask_for_large_pages(given, bytes);
    return given;
}

void *mem_alloc(size_t count, size_t size, err *e)
{
    size_t bytes;
    if (!block_bytes(count, size, &bytes, e))
        return NULL;
    return block_of(bytes < ALIGNED_LEAST ? malloc(bytes) : aligned_alloc(MEM_ALIGN, bytes), bytes,
                    e);
}

void *mem_alloc_zeroed(size_t count, size_t size, err *e)
{
    void *block = mem_alloc(count, size, e);
    if (block != NULL)
        memset(block, 0, count * size);
    return block;
}

void *mem_resize(void *block, size_t count, size_t size, err *e)
{
    size_t bytes;
    if (!block_bytes(count, size, &bytes, e))
        return NULL;
    return block_of(realloc(block, bytes), bytes, e);
}

/* Many arrays stay short, and many of large elements have only one. */
enum { FIRST_BYTES = 64 };

void *mem_grow(void *array, size_t used, size_t *capacity, size_t size, err *e)
{
    if (used < *capacity)
        return array;
    size_t larger = *capacity == 0 ? 1 + FIRST_BYTES / (size + 1) : *capacity;
    if (*capacity > 0 && !size_mul(larger, 2, &larger)) {
        err_no_memory(e, SIZE_MAX);
        return NULL;
    }
    void *block = mem_resize(array, larger, size, e);
    if (block != NULL)
        *capacity = larger;
    return block;
}

char *mem_copy_text(const char *text, size_t length, err *e)
{
    char *copy = mem_alloc(length + 1, 1, e);
    if (copy == NULL)
        return NULL;
    if (length > 0)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void mem_free(void *block)
{
    free(block);
}

void mem_keep_pages(void)
{
#if defined(M_MMAP_THRESHOLD) && defined(M_TRIM_THRESHOLD) && defined(M_MXFAST)
    enum { MOST_THAT_GLIBC_TAKES = 32 << 20, NEVER = 1 << 30 };
    mallopt(M_MMAP_THRESHOLD, MOST_THAT_GLIBC_TAKES);
    mallopt(M_TRIM_THRESHOLD, NEVER);
    mallopt(M_MXFAST, 0); /* else each larger block that is freed collects all small ones */
#endif
}
