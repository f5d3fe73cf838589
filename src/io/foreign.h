/* Formats that are not read, by their first bytes: so that an error says what a file is, and what
 * makes of it one that is read. A new one is a row in foreign.c. */
#ifndef SELFATTN_IO_FOREIGN_H
#define SELFATTN_IO_FOREIGN_H

#include <stddef.h>

typedef struct foreign {
    const char *begin;
    size_t length; /* of `begin`, which may hold NULs */
    const char *what, *remedy;
} foreign;

/* NULL for bytes that are of none of these. No text that is read begins as one of them; yet
 * another format that is read may: safetensors begins with a number. */
const foreign *foreign_find(const char *bytes, size_t length);

#endif
