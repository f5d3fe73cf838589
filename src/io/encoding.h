/* Text that is not in UTF-8, in which all formats of text are read: what is said of it. */
#ifndef SELFATTN_IO_ENCODING_H
#define SELFATTN_IO_ENCODING_H

#include "base/err.h"

#include <stddef.h>

/* Refuses UTF-16, which shows in its first bytes: a mark, or NULs next to characters of ASCII.
 * `at`: where the bytes begin. */
bool encoding_check(const char *bytes, size_t length, place at, err *e);

/* The second line of the error of a byte that is of no character. Returns false. */
bool encoding_remedy(err *e);

#endif
