/* All bytes of an input: a file or standard input. A large file is mapped, so that a matrix in it
 * can be used in place. */
#ifndef SELFATTN_IO_SOURCE_H
#define SELFATTN_IO_SOURCE_H

#include "base/err.h"
#include "base/mapping.h"
#include "base/text.h"
#include "io/source.h"

#include <sys/stat.h>

typedef struct source {
    const char *file;  /* as the user named it, "-" for standard input; borrowed */
    const char *bytes; /* `length` of them, and a NUL after */
    size_t length;
    mapping *map; /* that the bytes lie in; NULL: they were read */
    char *read;   /* owned */
} source;

/* Reads it whole. A missing or unreadable file, a directory, or a failing read is an error with
 * errno's text. */
bool source_open(source *s, const char *file, err *e);
/* The same, where no more than `most` bytes may come from what is not a file, a pipe or a device:
 * it may never end. */
bool source_open_within(source *s, const char *file, size_t most, err *e);
/* Refuses an input of which so many bytes were read, where that is more; a first block is always
 * read. */
bool source_check_length(const char *file, size_t length, size_t most, err *e);
void source_close(source *s);

/* ---- a file or standard input, open for reading ---- */

/* What is asked of one read(2) where the size is not known: of a stream of small documents some
 * hundreds, so that starting threads for them is little. */
enum { READ_BLOCK = 1 << 20 };

/* What messages call it. */
const char *descriptor_name(const char *file);
/* `file` as the user named it, "-" for standard input. -1, with errno's text in the error, where
 * that fails. */
int descriptor_open(const char *file, err *e);
/* Adds what one read gives of `wanted` bytes; *ends: there are no more. */
bool descriptor_read(int descriptor, const char *file, size_t wanted, text *to, bool *ends, err *e);
/* Whether it is a regular file, which has a size, and can be mapped. */
bool descriptor_is_file(int descriptor);
/* Standard input stays open. */
void descriptor_close(int descriptor, const char *file);

/* ---- a file that is to be replaced by another that is made from it ----
 *
 * What it held when it was read, and whether that is still so. It is read once into memory of its
 * own, not mapped, and locked (flock) until it is closed, so that others who ask for the lock wait.
 * Who does not ask may write at any time. */

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
