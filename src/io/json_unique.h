/* No key twice: RFC 8259 lets each reader choose which of two values counts, so the same file
 * would mean different things to different programs. Part of json_scan. */
#ifndef SELFATTN_IO_JSON_UNIQUE_H
#define SELFATTN_IO_JSON_UNIQUE_H

#include "io/json_text.h"

typedef struct json_key {
    const char *at, *end; /* of the string, with its quotes */
} json_key;

/* False, with the error at the second of the two, where two of these keys of one object spell the
 * same name ("a" and "\u0061" do). Sorts the keys; n·log n comparisons, whatever the keys. */
bool json_keys_unique(json_text *t, json_key *key, size_t count, err *e);

#endif
