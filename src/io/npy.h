/* NPY, versions 1.0 to 3.0: one matrix, without a name. Written as numpy.save writes it, byte for
 * byte. */
#ifndef SELFATTN_IO_NPY_H
#define SELFATTN_IO_NPY_H

#include "io/format.h"

bool npy_probe(const char *bytes, size_t length);

/* `out` comes in empty, and is empty again when reading fails. */
bool npy_read(const char *bytes, size_t length, const read_options *how, bundle *out, err *e);
bool npy_write(const bundle *result, const write_options *how, sink *out, err *e);

#endif
