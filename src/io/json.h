/* JSON (RFC 8259), as the table of formats knows it. Reading goes in two steps: a strict scan of
 * the whole text (json_scan.h), then values by the kinds that their keys have. */
#ifndef SELFATTN_IO_JSON_H
#define SELFATTN_IO_JSON_H

#include "io/format.h"

/* Found when the first byte that is not a space opens an object or an array. */
FORMAT_FUNCTIONS(json);

#endif
