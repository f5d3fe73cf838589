/* A file that is to be replaced by another that is made from it: what it held when it was read, and
 * whether that is still so.
 *
 * It is read once into memory of its own, and locked (flock) until it is closed, so that others who
 * ask for the lock wait. Who does not ask may write at any time. */
#ifndef SELFATTN_IO_OLD_FILE_H
#define SELFATTN_IO_OLD_FILE_H

#include "io/source.h"

#include <sys/stat.h>

typedef struct old_file {
    source read;    /* what it held */
    int descriptor; /* of the file, for as long as it is looked at; of a zeroed one nobody's */
    struct stat seen;
} old_file;

/* Whether it is the same file, as it was. The time of its last change of status does not count,
 * which a rename sets too. */
bool old_file_is_unchanged(const struct stat *before, const struct stat *now);

/* Refuses a file that another program has locked, or that changes while it is read. */
bool old_file_open(old_file *o, const char *file, err *e);
/* Refuses a path that does not name this file any more, or where not all of it is as it was. */
bool old_file_check(const old_file *o, const char *path, err *e);
void old_file_close(old_file *o);

#endif
