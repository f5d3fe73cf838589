/* The strict scan: is this text JSON, by RFC 8259 and nothing else?
 *
 * It comes before anything is read, because cJSON lets pass what JSON does not allow (leading
 * zeros, control characters, text behind the end), and so that what reads afterwards need not
 * check again. Beyond the grammar it wants: UTF-8 without surrogates or overlong forms, no half of
 * a surrogate pair in escapes, no key twice in an object, nesting of at most JSON_MAX_DEPTH,
 * numbers of at most NUMBER_MAX_TEXT bytes. It takes n·log n time at most. */
#ifndef SELFATTN_IO_JSON_SCAN_H
#define SELFATTN_IO_JSON_SCAN_H

#include "io/json_text.h"

enum { JSON_MAX_DEPTH = 64 };

bool json_scan(json_text *t, err *e);

#endif
