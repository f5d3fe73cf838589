/* WASI has no mappings. Its C library lends memory instead, which takes no advice. */
#ifndef SELFATTN_WASI_SYS_MMAN_H
#define SELFATTN_WASI_SYS_MMAN_H

#include_next <sys/mman.h>

#define madvise(start, bytes, advice) ((void)(start), (void)(bytes), (void)(advice), -1)

#endif
