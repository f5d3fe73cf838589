/* All bytes of an input: a file or standard input. A large file is mapped, so that a matrix in it
 * can be used in place. */
#ifndef SELFATTN_IO_SOURCE_H
#define SELFATTN_IO_SOURCE_H

#include "base/err.h"
#include "base/mapping.h"

typedef struct source {
    const char *file;  /* as the user named it, "-" for standard input; borrowed */
    const char *bytes; /* `length` of them, and a NUL after */
    size_t length;
    mapping *map; /* that the bytes lie in; NULL: they were read */
    char *read;   /* owned */
} source;

/* Reads it whole. A missing or unreadable file, a directory, or a failing read is an error with
 * errno's text. */
bool source_open(source *s, const char *file, err *e);
/* The same, where no more than `most` bytes may come from what is not a file, a pipe or a device:
 * it may never end. */
bool source_open_within(source *s, const char *file, size_t most, err *e);
/* Reads what an open descriptor gives, and maps nothing: memory that nobody else writes to. */
bool source_read(source *s, const char *file, int descriptor, err *e);
/* Refuses an input of which so many bytes were read, where that is more; a first block is always
 * read. */
bool source_check_length(const char *file, size_t length, size_t most, err *e);
void source_close(source *s);

#endif
