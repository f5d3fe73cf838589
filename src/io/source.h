/* All bytes of an input: a file or standard input. A large file is mapped, so that a matrix in it
 * can be used in place. */
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
    mapping *map; /* that the bytes lie in; NULL: they were read */
    char *read;   /* owned */
} source;

/* Reads it whole. A missing or unreadable file, a directory, or a failing read is an error with
 * errno's text; so are more than `most` bytes of what is not a file, a pipe or a device: it may
 * never end. */
bool source_open(source *s, const char *file, size_t most, err *e);
void source_close(source *s);

/* ---- a file or standard input, open for reading ---- */

/* What is asked of one read(2) where the size is not known: of a stream of small documents some
 * hundreds, so that starting threads for them is little. */
enum { READ_BLOCK = 1 << 20 };

/* What messages call it. */
const char *descriptor_name(const char *file);

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

/* ---- lines ----
 *
 * The lines of a file or of standard input, one at a time: a stream may be of any length, and needs
 * the memory of its longest line and of one block. */

typedef struct line_source {
    const char *file; /* as the user named it, "-" for standard input; borrowed; NULL: closed */
    int descriptor;
    const source *from; /* in place of the descriptor: all of it, read already; borrowed */
    size_t most;        /* bytes that a line may have */
    text read;          /* what is in memory of the stream */
    size_t next;        /* where the next line begins in it */
    size_t number;      /* of the line handed out last, from 1 */
    bool ends;          /* all was read */
    bool skips;         /* the rest of a line that can't be handed out is passed over */
    bool is_checked;    /* that its beginning is none of what no reader takes */
} line_source;

bool lines_open(line_source *l, const char *file, size_t most, err *e);
/* The lines of what somebody else has read. */
void lines_open_read(line_source *l, const source *from, size_t most);

/* The next line, without the newline (and, at the very start, the byte order mark); borrowed until
 * the next call. NULL at the end of the stream; NULL with the error set where reading fails, or the
 * line is longer than it may be: then the next call gives the line after it. */
const char *lines_next(line_source *l, size_t *length, err *e);

/* Whether the next line is in memory already, so that nobody waits for it. */
bool lines_has_next(const line_source *l);
/* The next line if it is in memory, and lines that were taken before stay where they are; else
 * NULL, and lines_next is to be asked. */
const char *lines_take(line_source *l, size_t *length);

/* Before the first line: takes one more block into memory, all of which is in `read`. Of what is no
 * file, that and a source are at most as long as a line may be. */
bool lines_peek(line_source *l, err *e);
/* Before the first line: whether the stream, a file, can be read from its start again; and goes
 * there. */
bool lines_can_restart(const line_source *l);
void lines_restart(line_source *l);
/* Before the first line: the stream is none of lines, and becomes a source. Closes the lines. */
bool lines_become_source(line_source *l, source *whole, err *e);

void lines_close(line_source *l);

/* ---- JSON Lines: a document a line ----
 *
 * Whether the first bytes of an input are so. Each line is then read, and each result written, as
 * JSON. */

/* One document on a line of its own is JSON as well: only the line below tells. */
typedef enum jsonl_look { JSONL_IS_NOT, JSONL_MAY_BE, JSONL_IS } jsonl_look;
jsonl_look jsonl_look_at(const char *bytes, size_t length);

/* The lines of a whole input that hold a document, one after the other; blank ones are counted and
 * passed over. */
typedef struct jsonl_lines {
    const char *line; /* the one that was found last, without its newline; borrowed */
    size_t length, number;
    const char *next, *end;
} jsonl_lines;

/* Begins before the first line, after a byte order mark. */
jsonl_lines jsonl_lines_of(const char *bytes, size_t length);
/* False after the last one. */
bool jsonl_next(jsonl_lines *l);
/* Whether a line holds no document: nothing but spaces. */
bool jsonl_is_blank(const char *line, size_t length);

/* True when the first line is an object to its end and another one begins below. */
bool jsonl_probe(const char *bytes, size_t length);

#endif
