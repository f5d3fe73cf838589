/* Windows has no stale files. */
#ifndef SELFATTN_WINDOWS_ERRNO_H
#define SELFATTN_WINDOWS_ERRNO_H

#include_next <errno.h>

enum { ESTALE = 999 };

#endif
