/* What the archive calls in place of the C library: each function counts, fails
 * when it is told to, and else does what it is named after. The linker puts
 * them there (--wrap), and the Makefile finds their names in this file: a
 * definition stands on one line. */
#include "inject.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- memory ---- */

extern void *__real_aligned_alloc(size_t alignment, size_t size);
extern void *__real_malloc(size_t size);
extern void *__real_calloc(size_t count, size_t size);
extern void *__real_realloc(void *block, size_t size);
extern void __real_free(void *block);

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return inject_fails(CALL_ALLOCATION) ? NULL
                                         : inject_given(__real_aligned_alloc(alignment, size));
}

void *__wrap_malloc(size_t size)
{
    return inject_fails(CALL_ALLOCATION) ? NULL : inject_given(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return inject_fails(CALL_ALLOCATION) ? NULL : inject_given(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (inject_fails(CALL_ALLOCATION))
        return NULL;
    void *moved = __real_realloc(block, size);
    return block == NULL ? inject_given(moved) : moved;
}

void __wrap_free(void *block)
{
    inject_taken(block);
    __real_free(block);
}

/* ---- files ---- */

extern int __real_open(const char *path, int flags, ...);
extern DIR *__real_opendir(const char *path);
extern struct dirent *__real_readdir(DIR *folder);
extern int __real_stat(const char *path, struct stat *status);
extern int __real_lstat(const char *path, struct stat *status);
extern int __real_fstat(int descriptor, struct stat *status);
extern int __real_access(const char *path, int mode);
extern ssize_t __real_readlink(const char *path, char *to, size_t size);
extern int __real_fcntl(int descriptor, int command, ...);
extern ssize_t __real_read(int descriptor, void *to, size_t size);
extern ssize_t __real_pread(int descriptor, void *to, size_t size, off_t at);
extern ssize_t __real_write(int descriptor, const void *from, size_t size);
extern int __real_close(int descriptor);
extern int __real_fchmod(int descriptor, mode_t mode);
extern int __real_fsync(int descriptor);
extern int __real_rename(const char *from, const char *to);
extern int __real_renameat2(int from_folder, const char *from, int to_folder, const char *to,
                            unsigned flags);
extern int __real_flock(int descriptor, int operation);

int __wrap_open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return inject_fails(CALL_OPEN) ? -1 : __real_open(path, flags, mode);
}

DIR *__wrap_opendir(const char *path)
{
    return inject_fails(CALL_OPENDIR) ? NULL : __real_opendir(path);
}

struct dirent *__wrap_readdir(DIR *folder)
{
    return inject_fails(CALL_READDIR) ? NULL : __real_readdir(folder);
}

int __wrap_stat(const char *path, struct stat *status)
{
    return inject_fails(CALL_STAT) ? -1 : __real_stat(path, status);
}

int __wrap_lstat(const char *path, struct stat *status)
{
    return inject_fails(CALL_STAT) ? -1 : __real_lstat(path, status);
}

int __wrap_fstat(int descriptor, struct stat *status)
{
    return inject_fails(CALL_FSTAT) ? -1 : __real_fstat(descriptor, status);
}

int __wrap_access(const char *path, int mode)
{
    return inject_fails(CALL_ACCESS) ? -1 : __real_access(path, mode);
}

ssize_t __wrap_readlink(const char *path, char *to, size_t size)
{
    return inject_fails(CALL_READLINK) ? -1 : __real_readlink(path, to, size);
}

/* What stands after the command is a number or an address; as glibc does, it
 * is handed on as the larger of the two. */
/* Of a file that the program opened, and whose first descriptor it closes with a check. */
static bool is_second[1024];

int __wrap_fcntl(int descriptor, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (inject_fails(CALL_FCNTL))
        return -1;
    int result = __real_fcntl(descriptor, command, argument);
    if (command == F_DUPFD_CLOEXEC && result >= 0)
        is_second[result % 1024] = descriptor > STDERR_FILENO;
    return result;
}

ssize_t __wrap_read(int descriptor, void *to, size_t size)
{
    size_t most = inject_bytes(CALL_READ, size);
    return most == 0 && size > 0 ? -1 : __real_read(descriptor, to, most);
}

ssize_t __wrap_pread(int descriptor, void *to, size_t size, off_t at)
{
    size_t most = inject_bytes(CALL_READ, size);
    return most == 0 && size > 0 ? -1 : __real_pread(descriptor, to, most, at);
}

ssize_t __wrap_write(int descriptor, const void *from, size_t size)
{
    size_t most = inject_bytes(CALL_WRITE, size);
    return most == 0 && size > 0 ? -1 : __real_write(descriptor, from, most);
}

/* A close that fails has closed all the same (Linux, close(2)); of an input, or of one of two
 * descriptors, as is a number below 3 that was not there, nothing is lost by it. */
int __wrap_close(int descriptor)
{
    bool is_input = descriptor <= STDERR_FILENO || is_second[descriptor % 1024] ||
                    (__real_fcntl(descriptor, F_GETFL, 0) & O_ACCMODE) == O_RDONLY;
    is_second[descriptor % 1024] = false;
    bool fails = inject_fails(is_input ? CALL_CLOSE_INPUT : CALL_CLOSE_OUTPUT);
    int reason = errno, result = __real_close(descriptor);
    if (!fails)
        return result;
    errno = reason;
    return -1;
}

int __wrap_fchmod(int descriptor, mode_t mode)
{
    return inject_fails(CALL_FCHMOD) ? -1 : __real_fchmod(descriptor, mode);
}

int __wrap_fsync(int descriptor)
{
    return inject_fails(CALL_FSYNC) ? -1 : __real_fsync(descriptor);
}

int __wrap_rename(const char *from, const char *to)
{
    return inject_fails(CALL_RENAME) ? -1 : __real_rename(from, to);
}

int __wrap_renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned flags)
{
    return inject_fails(CALL_EXCHANGE) ? -1
                                       : __real_renameat2(from_folder, from, to_folder, to, flags);
}

int __wrap_flock(int descriptor, int operation)
{
    return inject_fails(CALL_LOCK) ? -1 : __real_flock(descriptor, operation);
}

/* ---- files as memory ---- */

extern void *__real_mmap(void *at, size_t length, int protection, int flags, int descriptor,
                         off_t offset);
extern int __real_munmap(void *at, size_t length);

/* A mapping that takes the place of a part of another is not a block of its own. */
void *__wrap_mmap(void *at, size_t length, int protection, int flags, int descriptor, off_t offset)
{
    if (inject_fails(protection & PROT_WRITE ? CALL_RESERVE : CALL_MMAP))
        return MAP_FAILED;
    void *block = __real_mmap(at, length, protection, flags, descriptor, offset);
    return block == MAP_FAILED || at != NULL ? block : inject_given(block);
}

int __wrap_munmap(void *at, size_t length)
{
    inject_taken(at);
    return __real_munmap(at, length);
}

/* ---- threads ---- */

extern int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                 void *(*work)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*work)(void *), void *argument)
{
    return inject_fails(CALL_THREAD) ? EAGAIN
                                     : __real_pthread_create(thread, attributes, work, argument);
}
