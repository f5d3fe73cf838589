/* Memory: every size is a checked product, every block of a kilobyte or more is aligned for the
 * widest vectors (smaller ones are many, and have to be had quickly), every failure is an error
 * with the size in it. `mem_free` takes what any of these gave, and NULL.
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

/* The same, and the largest size there is where they overflow. */
size_t size_sum(size_t a, size_t b);
size_t size_product(size_t a, size_t b);

size_t size_larger(size_t a, size_t b);

/* For the program itself, whatever it reads, on top of the limit. */
enum { MEM_OWN = 4 << 20 };

/* The limit of all that is allocated, less MEM_OWN: before threads are started. */
void mem_limit(size_t bytes);
/* Bytes that are left of both; and of so many that may be used, once others have what they need. */
size_t mem_left(void);
size_t mem_spare(size_t may_be_used, size_t needed);
/* Memory that others manage, which counts as a block does; false where it would be too much. */
bool mem_count_in(size_t bytes, err *e);
void mem_count_out(size_t bytes);
/* The error of so many bytes that could not be had just now: says the limit where that was why.
 * Returns false. */
bool mem_fail(err *e, size_t bytes);
/* A thread that ends says what it counted. */
void mem_thread_ends(void);

/* So many bytes, at least 1, for a library that has its own word of what failed; or NULL. */
void *mem_take(size_t bytes);

/* count × size bytes, or NULL with the error set. count or size may be 0; the block is then small
 * but not NULL. */
void *mem_alloc(size_t count, size_t size, err *e);
void *mem_alloc_zeroed(size_t count, size_t size, err *e);

/* A block (or NULL) with another size: what fits stays in it, and large blocks are not copied. NULL
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

/* ---- addresses without memory ----
 *
 * A page comes into being when it is first touched, reads as zeros, and can be given back. For what
 * is large as a whole, and looked at a part after the other. */

/* NULL with the error set where there are not so many addresses. */
void *reserve_new(size_t bytes, err *e);
/* Gives back all pages: what was written is lost. The addresses stay. */
void reserve_clear(void *start, size_t bytes);
/* NULL is nothing. */
void reserve_free(void *start, size_t bytes);

#endif
