/* A file or standard input, open for reading. */
#ifndef SELFATTN_IO_DESCRIPTOR_H
#define SELFATTN_IO_DESCRIPTOR_H

#include "base/text.h"

/* What is asked of one read(2) where the size is not known: of a stream of small documents some
 * hundreds, so that starting threads for them is little. */
enum { READ_BLOCK = 1 << 20 };

/* What messages call it. */
const char *descriptor_name(const char *file);
/* `file` as the user named it, "-" for standard input. -1, with errno's text in the error, where
 * that fails. */
int descriptor_open(const char *file, err *e);
/* Adds what one read gives of `wanted` bytes; *ends: there are no more. */
bool descriptor_read(int descriptor, const char *file, size_t wanted, text *to, bool *ends, err *e);
/* Whether it is a regular file, which has a size, and can be mapped. */
bool descriptor_is_file(int descriptor);
/* Standard input stays open. */
void descriptor_close(int descriptor, const char *file);

#endif
