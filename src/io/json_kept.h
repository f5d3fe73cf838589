/* Values of JSON that a bundle has no other place for, such as lists of numbers and texts: kept as
 * text, so that JSON can be written with them again, and nobody needs a second model of JSON. */
#ifndef SELFATTN_IO_JSON_KEPT_H
#define SELFATTN_IO_JSON_KEPT_H

#include "io/json_text.h"
#include "tensor/bundle.h"

/* Makes the entry an ENTRY_JSON: the value at `at` on one line, with one space behind commas and
 * colons and none elsewhere, and each number and text as it stands. What the entry held goes. */
bool json_keep(json_text *t, const char *at, entry *to, err *e);

#endif
