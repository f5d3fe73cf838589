/* What the files of this folder share: names as Windows has them, and its errors as C has them. */
#ifndef SELFATTN_WINDOWS_API_H
#define SELFATTN_WINDOWS_API_H

#define _WIN32_WINNT 0x0a02 /* FileRenameInfoEx, tried where the older way fails */
#define WIN32_LEAN_AND_MEAN
#include <stdbool.h>
#include <windows.h>

enum { WIDE = 4096 };

/* False with errno. /dev/null is NUL. */
bool wide_path(const char *path, wchar_t wide[WIDE]);
/* Sets errno by GetLastError, and returns −1. */
int failed(void);
/* Of an open descriptor. */
HANDLE handle_of(int descriptor);

/* What SIGPIPE's handler is followed by. */
_Noreturn void end_by_pipe(void);
/* Text is UTF-8 on the console as well, until the end. */
void console_open(void);

#endif
