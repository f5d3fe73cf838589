/* The strict scan of one string: UTF-8, escapes, control characters. Part of json_scan. */
#ifndef SELFATTN_IO_JSON_SCAN_STRING_H
#define SELFATTN_IO_JSON_SCAN_STRING_H

#include "io/json_text.h"

/* The first byte behind the string whose opening quote is at `at`; NULL with the error set where
 * it is not well-formed. */
const char *json_scan_string(json_text *t, const char *at, err *e);

#endif
