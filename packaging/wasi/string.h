/* What went wrong is said in the words of the GNU C library, which are those of other machines. */
#ifndef SELFATTN_WASI_STRING_H
#define SELFATTN_WASI_STRING_H

#include_next <string.h>

const char *wasi_strerror(int number);
#define strerror wasi_strerror

#endif
