/* Whose a file is that takes another's place, and who may read and write it. */
#ifndef SELFATTN_IO_OWNERSHIP_H
#define SELFATTN_IO_OWNERSHIP_H

#include <stdbool.h>
#include <sys/stat.h>

/* Gives an open file, which only its owner may use so far, the owner, group, mode, access list and
 * extended attributes of the file at `path`, of which `old` is known.
 *
 * What may not be given stays as it is for a new file, and then fewer may use it, never more: no
 * setuid or setgid bit goes to another owner or group, and a group that is another one, or whose
 * access list is lost, may do what all others may. False, with errno, where the mode can't be
 * set. */
bool ownership_copy(int descriptor, const char *path, const struct stat *old);

#endif
