/* Inputs, files or standard input: as one block of bytes, or line by line.
 *
 * A large file is mapped, so that a matrix in it can be used in place. The file's name is borrowed
 * everywhere here. After an _open that failed, nothing needs to be closed. */
#ifndef SELFATTN_IO_SOURCE_H
#define SELFATTN_IO_SOURCE_H

#include "base/err.h"
#include "base/mapping.h"
#include "base/text.h"

#include <sys/stat.h>

typedef struct source {
    const char *file;  /* as the user named it, "-" for standard input; borrowed */
    const char *bytes; /* `length` of them, and a NUL after */
    size_t length;
    mapping *map; /* the bytes lie in it; NULL: they were read */
    char *read;   /* the bytes that were read; owned */
} source;

/* Reads or maps all of it. A missing file, a directory or a failing read is an error with errno's
 * text. A pipe or a device, which may never end, may give at most `most` bytes. */
bool source_open(source *s, const char *file, size_t most, err *e);
void source_close(source *s);

/* ---- a file or standard input, open for reading ---- */

/* How much one read(2) asks for where the size is not known. A block holds some hundred small
 * documents, so that starting threads for them costs little next to them. */
enum { READ_BLOCK = 1 << 20 };

/* What messages call the file: its name, or "standard input". */
const char *descriptor_name(const char *file);

/* ---- a file that will be replaced by a new one that is made from it ----
 *
 * It is read once into memory, not mapped, and then asked whether it still holds the same. It is
 * locked (flock) until it is closed: programs that ask for the lock wait, others may write at any
 * time. */

typedef struct old_file {
    source read;    /* what it held; its `file` is NULL where nothing is open */
    int descriptor; /* open and locked */
    struct stat seen;
} old_file;

/* Whether both are the same file, unchanged. The time of the last change of status does not count:
 * a rename sets it too. */
bool old_file_is_unchanged(const struct stat *before, const struct stat *now);

/* Refuses a file that another program has locked, or that changes while it is read. */
bool old_file_open(old_file *o, const char *file, err *e);
/* Refuses a path that names another file by now, or a file that holds something else. */
bool old_file_check(const old_file *o, const char *path, err *e);
void old_file_close(old_file *o);

/* ---- lines ----
 *
 * The lines of a file or of standard input, one at a time. A stream of any length takes the memory
 * of its longest line and of one block. */

typedef struct line_source {
    const char *file; /* as the user named it, "-" for standard input; borrowed; NULL: closed */
    int descriptor;
    const source *from; /* used in place of the descriptor: all was read already; borrowed */
    size_t most;        /* a line may have so many bytes */
    text read;          /* the part of the stream that is in memory */
    size_t next;        /* where in `read` the next line begins */
    size_t number;      /* of the line that was given last, from 1 */
    bool ends;          /* the end of the stream was read */
    bool skips;         /* the rest of a line that was too long is still to be passed over */
    bool is_checked;    /* format_check_block has seen the beginning */
} line_source;

bool lines_open(line_source *l, const char *file, size_t most, err *e);
/* The lines of a source, which must outlive them. */
void lines_open_read(line_source *l, const source *from, size_t most);

/* The next line, without its newline and, at the very start, the byte order mark. It is borrowed
 * until the next call. NULL at the end of the stream. NULL, with the error set, where reading fails
 * or the line is too long; after a line that is too long, the next call gives the line after it. */
const char *lines_next(line_source *l, size_t *length, err *e);

/* Whether the next line is in memory already: then lines_next does not wait. */
bool lines_has_next(const line_source *l);
/* The next line if it is in memory already, else NULL. Lines that were taken before stay borrowed,
 * until lines_next is called. */
const char *lines_take(line_source *l, size_t *length);

/* The next four are for the time before the first line, to find out what the stream is. */

/* Adds one more block to `read`. What is not a file may give at most `most` bytes so, and to the
 * source that it may become. */
bool lines_peek(line_source *l, err *e);
/* Whether the stream is a file that can be read from its start again; and goes there. */
bool lines_can_restart(const line_source *l);
void lines_restart(line_source *l);
/* The stream is not one of lines: reads all of it as a source, and closes the lines. */
bool lines_become_source(line_source *l, source *whole, err *e);

void lines_close(line_source *l);

/* ---- JSON Lines: a document a line ---- */

/* Whether an input that begins with these bytes is JSON Lines. One document on a single line is
 * JSON as well (JSONL_MAY_BE): only the next line tells. */
typedef enum jsonl_look { JSONL_IS_NOT, JSONL_MAY_BE, JSONL_IS } jsonl_look;
jsonl_look jsonl_look_at(const char *bytes, size_t length);

/* The lines of a whole input that hold a document, one after the other. Blank lines count, but are
 * passed over. */
typedef struct jsonl_lines {
    const char *line; /* the line that was found last, without its newline; borrowed */
    size_t length, number;
    const char *next, *end;
} jsonl_lines;

/* Stands before the first line; a byte order mark is skipped. */
jsonl_lines jsonl_lines_of(const char *bytes, size_t length);
/* Goes to the next line; false after the last one. */
bool jsonl_next(jsonl_lines *l);
/* Whether a line holds no document: nothing but spaces. */
bool jsonl_is_blank(const char *line, size_t length);

/* Whether the first line is exactly an object and the next one begins another. */
bool jsonl_probe(const char *bytes, size_t length);

#endif
