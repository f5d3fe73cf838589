/* JSON (RFC 8259), as the table of formats knows it; the signatures are format.h's.
 *
 * Reading goes in two steps: a strict scan of the whole text (json_scan.h), then values by the
 * kinds that their keys have. `out` comes in empty, and is empty again when reading fails. */
#ifndef SELFATTN_IO_JSON_H
#define SELFATTN_IO_JSON_H

#include "io/format.h"

/* True when the first byte that is not a space opens an object or an array. */
bool json_probe(const char *bytes, size_t length);
bool json_read(const char *bytes, size_t length, const read_options *how, bundle *out, err *e);
bool json_write(const bundle *result, const write_options *how, sink *out, err *e);

#endif
