/* What a file calls a matrix without a name, where its format has a name for each. */
#ifndef SELFATTN_IO_UNNAMED_H
#define SELFATTN_IO_UNNAMED_H

#include "tensor/bundle.h"

/* The entry's own name, or `unnamed` where it has none. */
const char *unnamed_or_own(const entry *one, const char *unnamed);
/* Refuses a matrix without a name beside one that has the name it would get. */
bool unnamed_check(const bundle *result, const char *unnamed, err *e);

#endif
