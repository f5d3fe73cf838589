/* JSON Lines: whether the first bytes of an input are a document a line. Each line is then read,
 * and each result written, as JSON. */
#ifndef SELFATTN_IO_JSONL_H
#define SELFATTN_IO_JSONL_H

#include <stdbool.h>
#include <stddef.h>

/* One document on a line of its own is JSON as well: only the line below tells. */
typedef enum jsonl_look { JSONL_IS_NOT, JSONL_MAY_BE, JSONL_IS } jsonl_look;
jsonl_look jsonl_look_at(const char *bytes, size_t length);

/* True when the first line is an object to its end and another one begins below. */
bool jsonl_probe(const char *bytes, size_t length);

#endif
