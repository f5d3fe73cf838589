/* What the names of a text may take in memory. A name takes some hundred bytes however short its
 * value is, so a text of nothing but names would take far more memory than it has bytes. */
#ifndef SELFATTN_IO_JSON_ROOM_H
#define SELFATTN_IO_JSON_ROOM_H

#include "io/json_text.h"

typedef struct json_room {
    size_t taken;
} json_room;

/* Counts what the name or object at `at` takes; refused where all of them are beyond 3 MB and 30
 * times the text. */
bool json_room_take(json_room *room, json_text *t, const char *at, size_t bytes, err *e);

#endif
