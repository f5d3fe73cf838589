/* NPY, versions 1.0 to 3.0: one matrix, without a name. Written as numpy.save writes it, byte for
 * byte.
 *
 * NPZ: a zip of NPY files, each matrix under its member's name without ".npy". Read are stored and
 * deflated members; a stored one can be used in place. Written are stored members without dates, so
 * that the same result is the same bytes, and with their elements aligned, so that they can be. */
#ifndef SELFATTN_IO_NPY_H
#define SELFATTN_IO_NPY_H

#include "io/format.h"

FORMAT_FUNCTIONS(npy);

bool npz_probe(const char *bytes, size_t length);
bool npz_read(const char *bytes, size_t length, const read_options *how, bundle *out, err *e);
bool npz_write(const bundle *result, const write_options *how, sink *out, err *e);

/* Appends the header that numpy.save writes for such a tensor, in C order and little-endian. */
void npy_header_write(text *to, const tensor *t);

#endif
