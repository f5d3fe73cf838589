/* Memory: every size is a checked product, every block of a kilobyte or more is aligned for the
 * widest vectors (smaller ones are many and must be fast to get), every failure is an error with
 * the size in it. `mem_free` takes what any of these gave, and NULL.
 *
 * There is one account of all blocks of the process, and a block that would take it past the limit
 * is refused. Files that are mapped are not in it, nor are the stacks of threads. */
#ifndef SELFATTN_BASE_MEM_H
#define SELFATTN_BASE_MEM_H

#include "base/err.h"

enum { MEM_ALIGN = 64 }; /* a cache line, and one AVX-512 register */

/* Sums and products that say when they overflow. */
bool size_mul(size_t a, size_t b, size_t *product);
bool size_add(size_t a, size_t b, size_t *sum);

/* The same, but the largest size_t where they overflow. */
size_t size_sum(size_t a, size_t b);
size_t size_product(size_t a, size_t b);

size_t size_larger(size_t a, size_t b);

/* What the program itself takes, on top of the limit. */
enum { MEM_OWN = 4 << 20 };

/* Sets the limit of all that is allocated, without MEM_OWN. It is called before threads start. */
void mem_limit(size_t bytes);
/* Bytes that are left of the limit and MEM_OWN together; and the lesser of that and `may_be_used`,
 * without what is `needed` for others. */
size_t mem_left(void);
size_t mem_spare(size_t may_be_used, size_t needed);
/* Counts memory that another library manages; false where that would pass the limit. */
bool mem_count_in(size_t bytes, err *e);
void mem_count_out(size_t bytes);
/* Sets the error for an allocation of `bytes` that just failed; it names the limit if that was the
 * reason. Returns false. */
bool mem_fail(err *e, size_t bytes);
/* Called by a thread that ends: adds what it counted to the account. */
void mem_thread_ends(void);

/* At least 1 byte, for a library that reports failures in its own way; or NULL. */
void *mem_take(size_t bytes);

/* count × size bytes, or NULL with the error set. count or size may be 0; the block is then small
 * but not NULL. */
void *mem_alloc(size_t count, size_t size, err *e);
void *mem_alloc_zeroed(size_t count, size_t size, err *e);

/* A block (or NULL) with another size: it keeps what fits, and large blocks are not copied. NULL
 * with the error set, and the old block untouched, when there is no memory. It is aligned as
 * malloc's blocks are, so vectors are not kept in it. */
void *mem_resize(void *block, size_t count, size_t size, err *e);

/* Grows an array that holds `used` elements so that one more fits, by doubling, as mem_resize
 * does. */
void *mem_grow(void *array, size_t used, size_t *capacity, size_t size, err *e);

/* A copy of a string of `length` bytes, with a NUL after it. */
char *mem_copy_text(const char *text, size_t length, err *e);

void mem_free(void *block);

/* For a program that computes one problem after the other: memory that was freed stays with the
 * process, since new pages cost as much as a small problem's arithmetic. A hint. */
void mem_keep_pages(void);
/* The same of blocks of 32 MB and more, for one that computes the same large problem hundreds of
 * times. Resizing such a block copies it from then on. */
void mem_keep_large_pages(void);

/* ---- addresses without memory ----
 *
 * A page comes into being when it is first touched, reads as zeros, and can be given back. For
 * arrays that are large as a whole and used part by part. */

/* NULL with the error set where so many addresses can't be reserved. */
void *reserve_new(size_t bytes, err *e);
/* Gives back all pages: what was written is lost. The addresses stay. */
void reserve_clear(void *start, size_t bytes);
/* NULL is allowed, and does nothing. */
void reserve_free(void *start, size_t bytes);

#endif
