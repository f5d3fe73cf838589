/* What fingers, JavaScript, Python and YAML write where JSON has something else, and what to do
 * about it. For messages: what is no JSON has been found by then. */
#ifndef SELFATTN_IO_JSON_SLIP_H
#define SELFATTN_IO_JSON_SLIP_H

#include "io/json_scan.h"

/* What is wrong with what stands at `at`, where a value or a key should; NULL where that is not
 * known. Where no text may stand, a word is none that lacks its quotes. */
const char *json_slip_of_value(const json_text *t, const char *at, bool may_be_text);
/* The same of what may stand anywhere between two values. */
const char *json_slip_between(const json_text *t, const char *at);

#endif
