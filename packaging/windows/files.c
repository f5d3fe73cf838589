/* Files by names in UTF-8. Each is opened so that others may rename and remove it, as programs for
 * POSIX take for granted, this one's own threads among them. */
#include "windows_api.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { SHARED = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE };
enum { MOST_AT_ONCE = 1 << 30 }; /* that fits an int */
enum { RENAME_INFO_EX = 22 };    /* FileRenameInfoEx, where headers have it */

bool wide_path(const char *path, wchar_t wide[WIDE])
{
    const char *name = strcmp(path, "/dev/null") == 0 ? "NUL" : path;
    errno = *path == '\0' ? ENOENT : ENAMETOOLONG;
    return *path != '\0' &&
           MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, name, -1, wide, WIDE) > 0;
}

HANDLE handle_of(int descriptor)
{
    return (HANDLE)_get_osfhandle(descriptor);
}

/* ---- descriptors ---- */

static int open_wide(const wchar_t *name, int flags)
{
    DWORD access = flags & O_WRONLY ? GENERIC_WRITE : GENERIC_READ;
    DWORD how = flags & O_CREAT ? CREATE_NEW : OPEN_EXISTING;
    DWORD there = GetFileAttributesW(name);
    if (there != INVALID_FILE_ATTRIBUTES && (there & FILE_ATTRIBUTE_DIRECTORY)) {
        errno = flags & O_DIRECTORY ? EACCES : EISDIR; /* it can't be synced */
        return -1;
    }
    HANDLE file = CreateFileW(name, access, SHARED, NULL, how,
                              flags & O_NOFOLLOW ? FILE_FLAG_OPEN_REPARSE_POINT : 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return failed();
    int descriptor = _open_osfhandle((intptr_t)file, _O_BINARY);
    if (descriptor < 0)
        CloseHandle(file);
    return descriptor;
}

int open(const char *path, int flags, ...)
{
    wchar_t name[WIDE];
    return wide_path(path, name) ? open_wide(name, flags) : -1;
}

int fcntl(int descriptor, int command, int least)
{
    int low[16], count = 0, copy;
    (void)command;
    while ((copy = _dup(descriptor)) >= 0 && copy < least)
        low[count++] = copy;
    int reason = errno;
    while (count > 0)
        _close(low[--count]);
    errno = reason;
    return copy;
}

ssize_t read(int descriptor, void *to, size_t bytes)
{
    return _read(descriptor, to, bytes < MOST_AT_ONCE ? (unsigned)bytes : MOST_AT_ONCE);
}

/* Not by the C library: under Wine it takes a part that was written for a failure. */
ssize_t write(int descriptor, const void *from, size_t bytes)
{
    DWORD written, wanted = bytes < MOST_AT_ONCE ? (DWORD)bytes : MOST_AT_ONCE;
    if (WriteFile(handle_of(descriptor), from, wanted, &written, NULL))
        return (ssize_t)written;
    failed();
    if (errno == EPIPE)
        end_by_pipe();
    return -1;
}

ssize_t pread(int descriptor, void *to, size_t bytes, off_t at)
{
    OVERLAPPED from = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)(at >> 32)};
    DWORD got = 0;
    if (ReadFile(handle_of(descriptor), to, bytes < MOST_AT_ONCE ? (DWORD)bytes : MOST_AT_ONCE,
                 &got, &from) ||
        GetLastError() == ERROR_HANDLE_EOF)
        return (ssize_t)got;
    return failed();
}

int fsync(int descriptor)
{
    return FlushFileBuffers(handle_of(descriptor)) ? 0 : failed();
}

/* One byte far after the end of any file stands for the file: a lock on its own bytes would keep
 * others from reading them. */
int flock(int descriptor, int how)
{
    OVERLAPPED last = {.OffsetHigh = 1u << 30};
    DWORD flags = (how & LOCK_EX ? LOCKFILE_EXCLUSIVE_LOCK : 0u) |
                  (how & LOCK_NB ? LOCKFILE_FAIL_IMMEDIATELY : 0u);
    return LockFileEx(handle_of(descriptor), flags, 0, 1, 0, &last) ? 0 : failed();
}

/* ---- what a file is ---- */

/* Windows counts from 1601 in tenths of a microsecond. */
static const long long TO_1970 = 116444736000000000, A_SECOND = 10000000;

static int status_of(HANDLE file, struct windows_stat *to)
{
    BY_HANDLE_FILE_INFORMATION of;
    *to = (struct windows_stat){.st_nlink = 1};
    switch (GetFileType(file)) {
    case FILE_TYPE_CHAR:
        to->st_mode = S_IFCHR | 0666;
        return 0;
    case FILE_TYPE_PIPE:
        to->st_mode = S_IFIFO | 0666;
        return 0;
    case FILE_TYPE_DISK:
        break;
    default:
        SetLastError(ERROR_INVALID_HANDLE);
        return failed();
    }
    if (!GetFileInformationByHandle(file, &of))
        return failed();
    bool is_folder = of.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    long long written = (long long)((unsigned long long)of.ftLastWriteTime.dwHighDateTime << 32 |
                                    of.ftLastWriteTime.dwLowDateTime) -
                        TO_1970;
    to->st_mode = is_folder ? S_IFDIR | 0777 : S_IFREG | 0666;
    if (of.dwFileAttributes & FILE_ATTRIBUTE_READONLY)
        to->st_mode &= (mode_t)~0222;
    to->st_dev = of.dwVolumeSerialNumber;
    to->st_ino = (unsigned long long)of.nFileIndexHigh << 32 | of.nFileIndexLow;
    to->st_nlink = of.nNumberOfLinks;
    to->st_size = (off_t)of.nFileSizeHigh << 32 | of.nFileSizeLow;
    to->st_mtim.tv_sec = written / A_SECOND;
    to->st_mtim.tv_nsec = (long)(written % A_SECOND * 100);
    return 0;
}

int windows_stat(const char *path, struct windows_stat *status)
{
    wchar_t name[WIDE];
    if (!wide_path(path, name))
        return -1;
    HANDLE file = CreateFileW(name, FILE_READ_ATTRIBUTES, SHARED, NULL, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return failed();
    int result = status_of(file, status);
    CloseHandle(file);
    return result;
}

int fstat(int descriptor, struct windows_stat *status)
{
    return status_of(handle_of(descriptor), status);
}

int lstat(const char *path, struct windows_stat *status)
{
    wchar_t name[WIDE];
    WIN32_FIND_DATAW found;
    if (windows_stat(path, status) != 0 || !wide_path(path, name))
        return -1;
    HANDLE search =
        status->st_mode & (S_IFREG | S_IFDIR) ? FindFirstFileW(name, &found) : INVALID_HANDLE_VALUE;
    if (search == INVALID_HANDLE_VALUE)
        return 0;
    FindClose(search);
    if ((found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
        found.dwReserved0 == IO_REPARSE_TAG_SYMLINK)
        status->st_mode = S_IFLNK | 0777;
    return 0;
}

int futimens(int descriptor, const struct timespec times[2])
{
    unsigned long long written =
        (unsigned long long)(times[1].tv_sec * A_SECOND + times[1].tv_nsec / 100 + TO_1970);
    FILETIME time = {.dwLowDateTime = (DWORD)written, .dwHighDateTime = (DWORD)(written >> 32)};
    return SetFileTime(handle_of(descriptor), NULL, NULL, &time) ? 0 : failed();
}

int access(const char *path, int how)
{
    wchar_t name[WIDE];
    return wide_path(path, name) ? _waccess(name, how) : -1;
}

/* ---- names ---- */

int mkdir(const char *path, mode_t mode)
{
    wchar_t name[WIDE];
    (void)mode;
    return !wide_path(path, name) ? -1 : CreateDirectoryW(name, NULL) ? 0 : failed();
}

int unlink(const char *path)
{
    wchar_t name[WIDE];
    return !wide_path(path, name) ? -1 : DeleteFileW(name) ? 0 : failed();
}

/* Also where the file that is replaced is open, which Windows 10 can since 2017. */
static bool rename_over_open(const wchar_t *from, const wchar_t *to)
{
    struct {
        FILE_RENAME_INFO as;
        wchar_t more[WIDE];
    } how = {.as.Flags = FILE_RENAME_FLAG_REPLACE_IF_EXISTS | FILE_RENAME_FLAG_POSIX_SEMANTICS};
    DWORD length = GetFullPathNameW(to, WIDE, how.as.FileName, NULL);
    HANDLE file =
        CreateFileW(from, DELETE, SHARED, NULL, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    how.as.FileNameLength = length * (DWORD)sizeof(wchar_t);
    bool done = length > 0 && length < WIDE && file != INVALID_HANDLE_VALUE &&
                SetFileInformationByHandle(file, RENAME_INFO_EX, &how, sizeof how);
    DWORD reason = GetLastError();
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    SetLastError(reason);
    return done;
}

/* The same in steps, for what is older, or Wine: the old file steps aside first. If this program is
 * ended between two of them, both files are there, each by another name. */
static bool rename_in_steps(const wchar_t *from, const wchar_t *to)
{
    wchar_t aside[WIDE + 1];
    swprintf(aside, WIDE + 1, L"%ls~", from);
    if (!MoveFileExW(to, aside, MOVEFILE_WRITE_THROUGH))
        return false;
    bool done = MoveFileExW(from, to, MOVEFILE_WRITE_THROUGH);
    if (done)
        DeleteFileW(aside);
    else
        MoveFileExW(aside, to, MOVEFILE_WRITE_THROUGH);
    return done;
}

int rename(const char *from, const char *to)
{
    wchar_t wide_from[WIDE], wide_to[WIDE];
    if (!wide_path(from, wide_from) || !wide_path(to, wide_to))
        return -1;
    if (MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
        return 0;
    DWORD reason = GetLastError();
    if (rename_over_open(wide_from, wide_to) || rename_in_steps(wide_from, wide_to))
        return 0;
    SetLastError(reason);
    return failed();
}

/* ---- folders ---- */

struct folder {
    HANDLE search;
    WIN32_FIND_DATAW next;
    bool has_next;
    int descriptor;
    struct dirent shown;
};

DIR *opendir(const char *path)
{
    wchar_t name[WIDE], all[WIDE + 2];
    if (!wide_path(path, name))
        return NULL;
    DIR *folder = calloc(1, sizeof *folder);
    if (folder == NULL)
        return NULL;
    swprintf(all, WIDE + 2, L"%ls\\*", name);
    folder->search = FindFirstFileW(all, &folder->next);
    folder->has_next = folder->search != INVALID_HANDLE_VALUE;
    HANDLE itself = CreateFileW(name, FILE_READ_ATTRIBUTES, SHARED, NULL, OPEN_EXISTING,
                                FILE_FLAG_BACKUP_SEMANTICS, NULL);
    folder->descriptor = folder->has_next && itself != INVALID_HANDLE_VALUE
                             ? _open_osfhandle((intptr_t)itself, _O_BINARY)
                             : -1;
    if (folder->descriptor >= 0)
        return folder;
    failed();
    if (itself != INVALID_HANDLE_VALUE)
        CloseHandle(itself);
    if (folder->has_next)
        FindClose(folder->search);
    free(folder);
    return NULL;
}

struct dirent *readdir(DIR *folder)
{
    if (!folder->has_next)
        return NULL;
    WideCharToMultiByte(CP_UTF8, 0, folder->next.cFileName, -1, folder->shown.d_name, NAME_BYTES,
                        NULL, NULL);
    folder->has_next = FindNextFileW(folder->search, &folder->next);
    return &folder->shown;
}

int closedir(DIR *folder)
{
    FindClose(folder->search);
    _close(folder->descriptor);
    free(folder);
    return 0;
}

int dirfd(DIR *folder)
{
    return folder->descriptor;
}

static bool path_in(int folder, const char *name, wchar_t path[WIDE])
{
    wchar_t wide[WIDE];
    DWORD length = GetFinalPathNameByHandleW(handle_of(folder), path, WIDE, 0);
    if (!wide_path(name, wide))
        return false;
    errno = ENAMETOOLONG;
    if (length == 0 || length + wcslen(wide) + 2 > WIDE)
        return false;
    path[length] = L'\\';
    wcscpy(path + length + 1, wide);
    return true;
}

int openat(int folder, const char *name, int flags)
{
    wchar_t path[WIDE];
    return path_in(folder, name, path) ? open_wide(path, flags) : -1;
}

int unlinkat(int folder, const char *name, int flags)
{
    wchar_t path[WIDE];
    (void)flags;
    return !path_in(folder, name, path) ? -1 : DeleteFileW(path) ? 0 : failed();
}

/* ---- room ---- */

static int room_at(const wchar_t *name, struct statvfs *disk)
{
    wchar_t volume[WIDE];
    ULARGE_INTEGER ours, all;
    if (!GetVolumePathNameW(name, volume, WIDE) || !GetDiskFreeSpaceExW(volume, &ours, &all, NULL))
        return failed();
    *disk = (struct statvfs){.f_blocks = all.QuadPart, .f_bavail = ours.QuadPart, .f_frsize = 1};
    return 0;
}

int statvfs(const char *path, struct statvfs *disk)
{
    wchar_t name[WIDE];
    return wide_path(path, name) ? room_at(name, disk) : -1;
}

int fstatvfs(int descriptor, struct statvfs *disk)
{
    wchar_t name[WIDE];
    DWORD length = GetFinalPathNameByHandleW(handle_of(descriptor), name, WIDE, 0);
    return length == 0 || length >= WIDE ? failed() : room_at(name, disk);
}
