/* A way to a value inside a JSON document: the names of members and the places in lists, counted
 * from 0, with points between, as in layers.0.wq. A name may have points itself. */
#ifndef SELFATTN_IO_JSON_WAY_H
#define SELFATTN_IO_JSON_WAY_H

#include "io/json_text.h"

/* Where the value is that the way leads to from the one at `at`; NULL where it leads to none. A
 * member's whole name goes before a way through another. */
const char *json_way_find(json_text *t, const char *at, const char *way);

#endif
