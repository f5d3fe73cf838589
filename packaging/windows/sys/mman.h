/* Mappings of whole files, and of memory. */
#ifndef SELFATTN_WINDOWS_SYS_MMAN_H
#define SELFATTN_WINDOWS_SYS_MMAN_H

#include <stddef.h>
#include <sys/types.h>

enum { PROT_READ = 1, PROT_WRITE = 2 };
enum { MAP_PRIVATE = 2, MAP_FIXED = 16, MAP_ANONYMOUS = 32, MAP_NORESERVE = 64 };
#define MAP_FAILED ((void *)-1)

/* A file may take the place of the beginning of one mapping of memory (MAP_FIXED). It is refused
 * where its last page is full, because after it nothing can follow. */
void *mmap(void *at, size_t length, int protection, int how, int descriptor, off_t from);
int munmap(void *at, size_t length);

enum { MADV_SEQUENTIAL = 2, MADV_DONTNEED = 4 };
/* MADV_DONTNEED alone. */
int madvise(void *start, size_t bytes, int advice);

#endif
