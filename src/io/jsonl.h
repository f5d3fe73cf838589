/* JSON Lines: whether the first bytes of an input are a document a line. Each line is then read,
 * and each result written, as JSON. */
#ifndef SELFATTN_IO_JSONL_H
#define SELFATTN_IO_JSONL_H

#include <stdbool.h>
#include <stddef.h>

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
