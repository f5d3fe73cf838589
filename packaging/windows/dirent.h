/* Folders whose names are UTF-8. */
#ifndef SELFATTN_WINDOWS_DIRENT_H
#define SELFATTN_WINDOWS_DIRENT_H

enum { NAME_BYTES = 3 * 260 }; /* of 260 UTF-16 units */

struct dirent {
    char d_name[NAME_BYTES];
};
typedef struct folder DIR;

DIR *opendir(const char *path);
/* NULL at the end, where errno stays, and where it fails. */
struct dirent *readdir(DIR *folder);
int closedir(DIR *folder);
/* A descriptor for openat and unlinkat; of the folder as it is closed with it. */
int dirfd(DIR *folder);

#endif
