/* A file's bytes as memory, shared by all who use them: the last to release them unmaps the file.
 *
 * The bytes are read-only, and a NUL stands behind the last one, so that text can be read from them
 * too. Nothing is copied: pages come in as they are read. */
#ifndef SELFATTN_BASE_MAPPING_H
#define SELFATTN_BASE_MAPPING_H

#include <stddef.h>

typedef struct mapping {
    size_t users;
    const char *bytes;
    size_t length;
    void *start; /* what is unmapped */
    size_t reserved;
} mapping;

/* The first `length` bytes of an open file, for one user; NULL where it can't be mapped, and must
 * be read. */
mapping *mapping_new(int descriptor, size_t length);
/* One more user. */
mapping *mapping_share(mapping *m);
/* One user less; NULL is nobody. */
void mapping_release(mapping *m);

#endif
