/* The lines of a file or of standard input, one at a time: a stream may be of any length, and needs
 * the memory of its longest line and of one block. */
#ifndef SELFATTN_IO_LINES_H
#define SELFATTN_IO_LINES_H

#include "base/text.h"
#include "io/source.h"

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
