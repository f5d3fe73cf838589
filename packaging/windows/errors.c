#include "windows_api.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int failed(void)
{
    static const struct {
        DWORD windows;
        int number;
    } ROWS[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},
        {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_INVALID_DRIVE, ENOENT},
        {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_ACCESS_DENIED, EACCES},
        {ERROR_SHARING_VIOLATION, EACCES},
        {ERROR_USER_MAPPED_FILE, EACCES},
        {ERROR_WRITE_PROTECT, EROFS},
        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
        {ERROR_NOT_SAME_DEVICE, EXDEV},
        {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_INVALID_HANDLE, EBADF},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_COMMITMENT_LIMIT, ENOMEM},
        {ERROR_LOCK_VIOLATION, EWOULDBLOCK},
        {ERROR_IO_PENDING, EWOULDBLOCK},
        {ERROR_BROKEN_PIPE, EPIPE},
        {ERROR_NO_DATA, EPIPE},
        {ERROR_PIPE_NOT_CONNECTED, EPIPE},
    };
    DWORD last = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        if (ROWS[i].windows == last)
            errno = ROWS[i].number;
    }
    return -1;
}

/* The C library has no words for newer errors. */
char *strerror(int number)
{
    switch (number) {
    case ELOOP:
        return "Too many levels of symbolic links";
    case EWOULDBLOCK:
        return "Resource temporarily unavailable";
    case ESTALE:
        return "Stale file handle";
    default:
        return _sys_errlist[number >= 0 && number < _sys_nerr ? number : _sys_nerr];
    }
}
