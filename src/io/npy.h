/* NPY, versions 1.0 to 3.0: one matrix, without a name. Written as numpy.save writes it, byte for
 * byte. */
#ifndef SELFATTN_IO_NPY_H
#define SELFATTN_IO_NPY_H

#include "io/format.h"
#include "io/stored_matrix.h"

bool npy_probe(const char *bytes, size_t length);

/* `out` comes in empty, and is empty again when reading fails. */
bool npy_read(const char *bytes, size_t length, const read_options *how, bundle *out, err *e);
bool npy_write(const bundle *result, const write_options *how, sink *out, err *e);

/* ---- the header ---- */

/* Magic, version, and a Python literal that says what the elements are.
 *
 * The format is NumPy's (NEP 1, and numpy/lib/format.py for versions 2 and 3):
 *     \x93NUMPY, major, minor, the header's length (2 bytes; 4 from version 2 on), little-endian,
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, spaces and a newline,
 *     the elements.
 * It is parsed for just that, never evaluated. Refused by name: Python objects, which would be a
 * pickle, and whatever else is not a number. */

enum { NPY_MAX_HEADER = 65535 };

/* The matrix in `length` bytes that begin at `at`: all of them are header or elements. Where it has
 * more axes than can be read, nobody looked how many bytes it needs; stored_matrix_read refuses
 * it. */
bool npy_find_matrix(const char *bytes, size_t length, const place *at, stored_matrix *out, err *e);

/* Appends the header that numpy.save writes for such a tensor, in C order and little-endian. */
void npy_header_write(text *to, const tensor *t);

#endif
