/* Addresses without memory: a page comes into being when it is first touched, reads as zeros, and
 * can be given back. For what is large as a whole, and looked at a part after the other. */
#ifndef SELFATTN_BASE_RESERVE_H
#define SELFATTN_BASE_RESERVE_H

#include "base/err.h"

/* NULL with the error set where there are not so many addresses. */
void *reserve_new(size_t bytes, err *e);
/* Gives back all pages: what was written is lost. The addresses stay. */
void reserve_clear(void *start, size_t bytes);
/* NULL is nothing. */
void reserve_free(void *start, size_t bytes);

#endif
