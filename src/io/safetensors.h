/* safetensors, as the table of formats knows it: named matrices after a header that says where
 * each lies. The signatures are format.h's.
 *
 * A matrix is used in place where io/stored_matrix.h allows it, and one that is not asked for is
 * never looked at, but all of the header is checked (io/safetensors_header.h). The text "name" of
 * __metadata__ is the document's; what else stands there is for the program that wrote it. */
#ifndef SELFATTN_IO_SAFETENSORS_H
#define SELFATTN_IO_SAFETENSORS_H

#include "io/format.h"

/* True when the first eight bytes are a header's length and a '{' follows. */
bool safetensors_probe(const char *bytes, size_t length);

/* `out` comes in empty, and is empty again when reading fails. */
bool safetensors_read(const char *bytes, size_t length, const read_options *how, bundle *out,
                      err *e);

/* The same result gives the same bytes. `how->digits` is for text: numbers are written whole. */
bool safetensors_write(const bundle *result, const write_options *how, sink *out, err *e);

#endif
