/* A page in Markdown, LaTeX or HTML against the JSON trace of the same run. */
#ifndef SELFATTN_TESTS_FORMATS_PAGES_H
#define SELFATTN_TESTS_FORMATS_PAGES_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* All the numbers of the trace, and no others, are on the page in their order; says where one is
 * not. `bytes` has gone through tokens_strip. */
bool page_agrees(const cJSON *trace, const char *bytes, const char *format, bool says);

#endif
