/* All bytes of an input: a file or standard input. */
#ifndef SELFATTN_IO_SOURCE_H
#define SELFATTN_IO_SOURCE_H

#include "base/err.h"

typedef struct source {
    const char *file; /* as the user named it, "-" for standard input; borrowed */
    char *bytes;      /* `length` of them, and a NUL behind */
    size_t length;
} source;

/* Reads it whole. A missing or unreadable file, a directory, or a failing read is an error with
 * errno's text. */
bool source_open(source *s, const char *file, err *e);
void source_close(source *s);

#endif
