/* Fortran order to C order: files may store matrices so that the elements of the first axis are
 * neighbours; kernels want those of the last. */
#ifndef SELFATTN_IO_FORTRAN_H
#define SELFATTN_IO_FORTRAN_H

#include "tensor/tensor.h"

/* Fills a new tensor of rank 2 or more from elements of its type that lie in Fortran order at
 * `from`, wherever that is aligned. */
void fortran_reorder(const char *from, tensor *to);

#endif
