/* Where the name begins in a path: after the last slash, on Windows also after the last backslash.
 * What is before it is the folder, with its slash; nothing for a bare name. */
#ifndef SELFATTN_BASE_PATH_H
#define SELFATTN_BASE_PATH_H

#include <stddef.h>

const char *path_name(const char *path);
/* How long the folder's part is. */
size_t path_folder(const char *path);

#endif
