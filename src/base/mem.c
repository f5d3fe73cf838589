#define _DEFAULT_SOURCE /* madvise */
#include "base/mem.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __APPLE__
#include <malloc/malloc.h>
#define malloc_usable_size malloc_size
#else
#include <malloc.h>
#endif

bool size_mul(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

bool size_add(size_t a, size_t b, size_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

size_t size_sum(size_t a, size_t b)
{
    size_t sum;
    return size_add(a, b, &sum) ? sum : SIZE_MAX;
}

size_t size_product(size_t a, size_t b)
{
    size_t product;
    return size_mul(a, b, &product) ? product : SIZE_MAX;
}

size_t size_larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* ---- the account ---- */

enum {
    MOST_UNTOLD = 16 << 10, /* that a thread keeps to itself: 4 MB for 256 threads */
    BESIDE_A_BLOCK = 16,    /* what malloc puts there */
    TRIM_LEAST = 1 << 20,
    FEW = 64 << 20 /* a limit below which pages that malloc keeps would matter */
};

/* `used`: bytes of all blocks together. `freed`: what malloc may keep of blocks that were given
 * back, since it was last asked not to. */
static struct {
    atomic_ptrdiff_t used, freed;
    ptrdiff_t most;
    size_t mapped_from; /* larger blocks are mappings of their own */
    atomic_size_t refused;
} account = {.most = PTRDIFF_MAX, .mapped_from = SIZE_MAX};

/* What this thread took, less what it gave back. It is added to the account now and then only: the
 * account's cache line moves between processors, and a small document asks for dozens of blocks. */
static _Thread_local ptrdiff_t untold;

static ptrdiff_t tell(void)
{
    ptrdiff_t change = untold;
    untold = 0;
    return atomic_fetch_add_explicit(&account.used, change, memory_order_relaxed) + change;
}

/* Pages that malloc keeps belong to no block, but the process still holds them. */
static void trim_before(ptrdiff_t used)
{
#if defined(__GLIBC__)
    ptrdiff_t freed = atomic_load_explicit(&account.freed, memory_order_relaxed);
    if (freed < TRIM_LEAST || used <= account.most - freed)
        return;
    atomic_store_explicit(&account.freed, 0, memory_order_relaxed);
    malloc_trim(0);
#else
    (void)used;
#endif
}

static bool count_in(size_t bytes)
{
    untold += (ptrdiff_t)bytes;
    if (untold < MOST_UNTOLD)
        return true;
    ptrdiff_t used = tell();
    if (used <= account.most) {
        trim_before(used);
        return true;
    }
    untold -= (ptrdiff_t)bytes;
    tell();
    atomic_store_explicit(&account.refused, bytes, memory_order_relaxed);
    return false;
}

static void count_out(size_t bytes)
{
    untold -= (ptrdiff_t)bytes;
    if (untold > -MOST_UNTOLD)
        return;
    if (bytes <= account.mapped_from)
        atomic_fetch_add_explicit(&account.freed, -untold, memory_order_relaxed);
    tell();
}

static size_t size_of(void *block)
{
    return block == NULL ? 0 : malloc_usable_size(block) + BESIDE_A_BLOCK;
}

bool mem_fail(err *e, size_t bytes)
{
    size_t refused = atomic_load_explicit(&account.refused, memory_order_relaxed);
    if (refused == 0)
        return err_no_memory(e, bytes);
    size_t used = (size_t)atomic_load_explicit(&account.used, memory_order_relaxed);
    return err_memory_limit(e, refused, used, (size_t)account.most, MEM_OWN);
}

bool mem_count_in(size_t bytes, err *e)
{
    return count_in(bytes) || mem_fail(e, bytes);
}

void mem_count_out(size_t bytes)
{
    count_out(bytes);
}

size_t mem_left(void)
{
    ptrdiff_t left = account.most - tell();
    return left > 0 ? (size_t)left : 0;
}

size_t mem_spare(size_t may_be_used, size_t needed)
{
    size_t left = mem_left(), most = left < may_be_used ? left : may_be_used;
    return most > needed ? most - needed : 0;
}

void mem_thread_ends(void)
{
    tell();
}

void mem_limit(size_t bytes)
{
    account.most = bytes < PTRDIFF_MAX - MEM_OWN ? (ptrdiff_t)bytes + MEM_OWN : PTRDIFF_MAX;
    account.refused = 0;
#if defined(__GLIBC__)
    enum { LEAST_MAPPED = 128 << 10 };
    if (bytes >= FEW)
        return;
    account.mapped_from = LEAST_MAPPED;
    mallopt(M_MMAP_THRESHOLD, LEAST_MAPPED);
    mallopt(M_TRIM_THRESHOLD, LEAST_MAPPED);
    mallopt(M_ARENA_MAX, 1);
#endif
}

/* ---- blocks ---- */

/* From here on blocks are aligned: glibc hands out smaller ones from a list for each thread, in a
 * tenth of aligned_alloc's time, and a small document asks for dozens. */
enum { ALIGNED_LEAST = 1024 };

/* count × size, never 0. */
static bool block_bytes(size_t count, size_t size, size_t *bytes, err *e)
{
    if (!size_mul(count, size, bytes) || *bytes > PTRDIFF_MAX / 2)
        return err_set(e,
                       "out of memory: %zu elements of %zu bytes are more than an address can hold",
                       count, size);
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

/* Replaces the bytes that were counted in beforehand by the size that malloc or realloc really
 * gave. */
static void *correct(void *given, size_t counted)
{
    untold += (ptrdiff_t)(size_of(given) - counted);
    if (given == NULL)
        atomic_store_explicit(&account.refused, 0, memory_order_relaxed);
    return given;
}

/* Aligned blocks in whole alignments, as aligned_alloc wants them. */
void *mem_take(size_t bytes)
{
    if (!count_in(bytes))
        return NULL;
    if (bytes < ALIGNED_LEAST)
        return correct(malloc(bytes), bytes);
    size_t padded = (bytes + MEM_ALIGN - 1) / MEM_ALIGN * MEM_ALIGN;
    return correct(aligned_alloc(MEM_ALIGN, padded), bytes);
}

void *mem_alloc(size_t count, size_t size, err *e)
{
    size_t bytes;
    if (!block_bytes(count, size, &bytes, e))
        return NULL;
    void *block = mem_take(bytes);
    if (block == NULL)
        mem_fail(e, bytes);
    else
        ask_for_large_pages(block, bytes);
    return block;
}

void *mem_alloc_zeroed(size_t count, size_t size, err *e)
{
    void *block = mem_alloc(count, size, e);
    if (block != NULL)
        memset(block, 0, count * size);
    return block;
}

/* A mapping grows in place. Any other block may be there twice for a moment, and counts twice. */
void *mem_resize(void *block, size_t count, size_t size, err *e)
{
    size_t bytes, before = size_of(block);
    if (!block_bytes(count, size, &bytes, e))
        return NULL;
    bool is_mapping = before > account.mapped_from;
    size_t more = is_mapping && bytes > before ? bytes - before : is_mapping ? 0 : bytes;
    void *resized = count_in(more) ? correct(realloc(block, bytes), more) : NULL;
    if (resized == NULL) {
        mem_fail(e, bytes);
        return NULL;
    }
    count_out(before);
    ask_for_large_pages(resized, bytes);
    return resized;
}

/* Many arrays stay short, and many of large elements have only one. */
enum { FIRST_BYTES = 64 };

void *mem_grow(void *array, size_t used, size_t *capacity, size_t size, err *e)
{
    if (used < *capacity)
        return array;
    /* An array takes less than half of all addresses, so doubling the count can't overflow. */
    size_t larger = *capacity == 0 ? 1 + FIRST_BYTES / (size + 1) : 2 * *capacity;
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
    count_out(size_of(block));
    free(block);
}

#if defined(M_MMAP_THRESHOLD) && defined(M_TRIM_THRESHOLD) && defined(M_MXFAST)
enum { MOST_THAT_GLIBC_TAKES = 32 << 20 };

void mem_keep_pages(void)
{
    enum { NEVER = 1 << 30 };
    account.mapped_from = MOST_THAT_GLIBC_TAKES;
    mallopt(M_MMAP_THRESHOLD, MOST_THAT_GLIBC_TAKES);
    mallopt(M_TRIM_THRESHOLD, NEVER);
    mallopt(M_MXFAST, 0); /* else each larger block that is freed collects all small ones */
}

void mem_keep_large_pages(void)
{
    if (account.mapped_from != MOST_THAT_GLIBC_TAKES) /* a small limit gives all pages back */
        return;
    account.mapped_from = SIZE_MAX;
    mallopt(M_MMAP_MAX, 0);
}
#else
void mem_keep_pages(void)
{
}

void mem_keep_large_pages(void)
{
}
#endif

/* ---- addresses without memory ---- */

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
