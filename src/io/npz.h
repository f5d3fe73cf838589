/* NPZ: a zip of NPY files, each matrix under its member's name without ".npy". Read are stored and
 * deflated members; a stored one can be used in place. Written are stored members without dates, so
 * that the same result is the same bytes, and with their elements aligned, so that they can be. */
#ifndef SELFATTN_IO_NPZ_H
#define SELFATTN_IO_NPZ_H

#include "io/format.h"

bool npz_probe(const char *bytes, size_t length);

/* `out` comes in empty, and is empty again when reading fails. */
bool npz_read(const char *bytes, size_t length, const read_options *how, bundle *out, err *e);
bool npz_write(const bundle *result, const write_options *how, sink *out, err *e);

#endif
