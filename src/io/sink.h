/* Where output goes: a file that appears whole or not at all, standard output, or memory.
 *
 * A writer appends to `sink_text` and calls `sink_spill` now and then, after each row of a matrix,
 * say: the sink writes large blocks, so that output of any size takes little memory. What is opened
 * ends with sink_close or sink_discard.
 *
 * Until sink_close has returned true, a target file stays as it was: the bytes are in a temporary
 * file next to it, which a failure, a signal or sink_discard removes. Of a symbolic link the target
 * is replaced; a file's mode is kept. A target that is not a regular file (a terminal, a pipe,
 * /dev/full), or is open already (/dev/stdout, /dev/fd/3), is written directly. */
#ifndef SELFATTN_IO_SINK_H
#define SELFATTN_IO_SINK_H

#include "base/text.h"
#include "io/source.h"

#include <signal.h>
#include <stdint.h>

typedef struct sink {
    const char *file; /* as the user named it, "-" for standard output, NULL for memory; borrowed */
    text pending;     /* not written yet; of a sink in memory all of it */
    int descriptor;   /* -1 for memory */
    int held;         /* a second descriptor, which keeps the temporary file locked until it has its
                       * name; or 0 */
    char *target;     /* the regular file to replace, links followed; NULL: there is none */
    char *temporary;  /* the path of the temporary file next to it */
    bool syncs;       /* fsync before and after the file takes its place */
    /* The caller may set it after opening: the only file that it may replace. NULL: it replaces
     * whatever is there in the end. */
    const old_file *over;
} sink;

/* Sets `syncs` for all sinks that are opened from here on. */
void sink_sync_all(bool syncs);

bool sink_open(sink *s, const char *file, err *e);
void sink_open_memory(sink *s);

text *sink_text(sink *s);
/* Writes what is pending if it is a large block by now. An error has errno's text. */
bool sink_spill(sink *s, err *e);
/* Appends a text and spills; a large block is not copied. */
bool sink_add(sink *s, const text *more, err *e);

/* Writes what is pending now, so that whoever reads standard output or a pipe has this result
 * before the next. For a file, which appears whole, it is sink_spill. */
bool sink_flush(sink *s, err *e);

enum { SINK_PATH = 4096 }; /* Linux's PATH_MAX, its NUL included */

/* The path of the file that would be made or written, links followed; the file need not exist.
 * False where there is no such file: standard output, or another descriptor that is open. */
bool sink_target(const char *file, char path[SINK_PATH]);

/* Whether two outputs would go to one file, named alike or not, so that the later one replaces the
 * other. A device takes any number. */
bool sink_shares_file(const char *file, const char *other);

/* Whether a file is there that would be replaced. */
bool sink_replaces(const char *file);

/* Writes the rest, closes, and puts the file in its place. All is released, also when it fails. A
 * sink in memory keeps its text: read it with sink_text, then call sink_discard. */
bool sink_close(sink *s, err *e);
/* Throws away what was written. Does nothing on a closed sink. */
void sink_discard(sink *s);
/* sink_close where the output is whole, else sink_discard; returns whether the file is there. */
bool sink_end(sink *s, bool is_whole, err *e);

/* Writes the text to a file where it is whole, and frees it in any case. */
bool sink_write_text(const char *file, text *all, bool is_whole, err *e);

/* ---- what the disk and the old file say of the new one ---- */

/* The bytes that any user may still write where the file will be; "-" is standard output. False
 * where it is not a regular file, or the system does not tell. */
bool free_disk(const char *file, uint64_t *bytes);

/* Gives an open file, which only its owner may use so far, the owner, group, mode, access list and
 * extended attributes of the old file at `path`; `old` is its stat.
 *
 * Where the system does not allow one of them, fewer people may use the new file than the old one,
 * never more: a setuid or setgid bit does not go to another owner or group; a group that could not
 * be kept, or whose access list is lost, gets the rights of all others. False, with errno, where
 * the mode can't be set or memory is missing. */
bool ownership_copy(int descriptor, const char *path, const struct stat *old, err *e);

#endif
