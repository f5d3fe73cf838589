/* Where output goes: a file that appears whole or not at all, standard output, or memory.
 *
 * Writers append to `sink_text` and call `sink_spill` now and then (after each matrix row, say); a
 * sink of its own accord writes large blocks, so that output of any size needs little memory. Until
 * sink_close has returned true, a target file is what it was: the bytes are in a temporary file
 * next to it, which a failure, a signal or sink_discard removes. A symbolic link's target is
 * replaced, a file's mode is kept, and a target that is not a regular file (a terminal, a pipe,
 * /dev/full) or that is open already (/dev/stdout, /dev/fd/3) is written directly. */
#ifndef SELFATTN_IO_SINK_H
#define SELFATTN_IO_SINK_H

#include "base/text.h"
#include "io/source.h"

#include <signal.h>
#include <stdint.h>

typedef struct sink {
    const char *file; /* as the user named it, "-" for standard output, NULL for memory; borrowed */
    text pending;     /* not written yet; all of it for a sink in memory */
    int descriptor;   /* -1 for memory */
    int held;         /* the same, so that the temporary stays locked until it has its name; or 0 */
    char *target;     /* the regular file to replace, links followed; NULL: there is none */
    char *temporary;  /* its temporary neighbour */
    bool syncs;       /* before and after it takes its place, the file is on the disk */
    /* To be set once it is open: what it replaces, or nothing; NULL: whatever is there by then. */
    const old_file *over;
} sink;

/* Whether files are on the disk before and after they take their places, of all sinks that are
 * opened from here on. */
void sink_sync_all(bool syncs);

bool sink_open(sink *s, const char *file, err *e);
void sink_open_memory(sink *s);

text *sink_text(sink *s);
/* Writes what is pending once it is a large block. False, with errno's text in the error, when that
 * fails. */
bool sink_spill(sink *s, err *e);
/* Appends what somebody else has collected, and spills it: a large block is not copied. */
bool sink_add(sink *s, const text *more, err *e);

/* Writes what is pending to what is not a file of its own (standard output, a pipe): a whole result
 * need not wait for the next. To a file, which appears whole, it is sink_spill. */
bool sink_flush(sink *s, err *e);

enum { SINK_PATH = 4096 }; /* Linux's PATH_MAX, its NUL included */

/* The file that would be made anew, or written, links followed; it need not be there. False where
 * that is none: standard output, or another one that is open. */
bool sink_target(const char *file, char path[SINK_PATH]);

/* Two outputs in one file, named alike or not: the later would be all that is left of both. A
 * device takes any number. */
bool sink_shares_file(const char *file, const char *other);

/* Whether what is written takes the place of what was there; no such file has nothing there. */
bool sink_replaces(const char *file);

/* Writes the rest, closes with a check, and puts the file in its place. Closing releases
 * everything, also when it fails. A sink in memory keeps its text: read it by sink_text, then
 * sink_discard. */
bool sink_close(sink *s, err *e);
/* Forgets what was written. Does nothing on a closed sink. */
void sink_discard(sink *s);
/* Either of them, as all that was to be written was, or not. */
bool sink_end(sink *s, bool is_whole, err *e);

/* A file that is this text, which is freed; none where the text was not made to its end. */
bool sink_write_text(const char *file, text *all, bool is_whole, err *e);

/* ---- how much room there is for a file that is to be written ---- */

/* Bytes that are free for anybody where the file will be; "-" is standard output. False where it is
 * no regular file, or the system does not know. */
bool free_disk(const char *file, uint64_t *bytes);

/* Gives an open file, which only its owner may use so far, the owner, group, mode, access list and
 * extended attributes of the file at `path`, of which `old` is known.
 *
 * What may not be given stays as it is for a new file, and then fewer may use it, never more: no
 * setuid or setgid bit goes to another owner or group, and a group that is another one, or whose
 * access list is lost, may do what all others may. False where the mode can't be set, with errno,
 * or where memory is missing. */
bool ownership_copy(int descriptor, const char *path, const struct stat *old, err *e);

#endif
