/* WASI has no second descriptor of an open file: the first one stands for both, and is closed as
 * often as there would be one. */
#ifndef SELFATTN_WASI_FCNTL_H
#define SELFATTN_WASI_FCNTL_H

#include_next <fcntl.h>

enum { F_DUPFD_CLOEXEC = -1 };

int wasi_fcntl(int descriptor, int command, int value);
#define fcntl wasi_fcntl

#endif
