/* A file's bytes as memory, shared by all who use them: the last to release them unmaps the file.
 *
 * The bytes are read-only, and a NUL stands after the last one, so that text can be read from them
 * too. Nothing is copied: pages come in as they are read. */
#ifndef SELFATTN_BASE_MAPPING_H
#define SELFATTN_BASE_MAPPING_H

#include "base/err.h"

#include <stddef.h>
#include <sys/stat.h>

typedef struct mapping {
    size_t users;
    const char *bytes;
    size_t length;
    void *start; /* what is unmapped */
    size_t reserved;
    int slot;             /* where its name is kept; -1: nowhere */
    int descriptor;       /* of the file, until it is closed */
    struct stat seen;     /* of the file, when it was mapped */
    struct mapping *next; /* of all that are mapped */
} mapping;

/* The first `length` bytes of an open file, for one user; NULL where it can't be mapped, and must
 * be read. `file` is what messages call it. */
mapping *mapping_new(int descriptor, size_t length, const char *file);
/* One more user. */
mapping *mapping_share(mapping *m);
/* One user less. NULL is allowed, and does nothing. */
void mapping_release(mapping *m);

/* Whether a file's length and time of writing are what they were. A second change within one tick
 * of the file system's clock is not seen if the length stays. */
bool file_is_unwritten(const struct stat *before, const struct stat *now);

/* Fails if a file changed after it was mapped, also if it is unmapped by now. It is asked before a
 * result takes its place, and at the end. */
bool mapping_check_unchanged(err *e);

/* The name of the mapped file in which an address lies; NULL: not known. It is called by the
 * handler of the signal that says that a file was cut short, on the thread that read it. */
const char *mapping_name_at(const void *address);

#endif
