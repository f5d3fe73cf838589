#include "io/missing_mark.h"

#include <string.h>
#include <strings.h>

static const char *const MARKS[] = {"NA", "N/A", "<NA>", "NaT", "None", "null", NULL};
static const char *const ERRORS[] = {"N/A",   "DIV/0!", "VALUE!", "REF!",  "NAME?",
                                     "NULL!", "NUM!",   "SPILL!", "CALC!", NULL};

static bool is_one_of(const char *const *words, const char *text, size_t length)
{
    while (*words != NULL && (strlen(*words) != length || strncasecmp(*words, text, length) != 0))
        words++;
    return *words != NULL;
}

bool missing_mark_is_error(const char *text, size_t length)
{
    return is_one_of(ERRORS, text, length);
}

bool missing_mark_is(const char *text, size_t length)
{
    bool begins_so = length > 0 && *text == '#';
    return is_one_of(MARKS, text, length) ||
           (begins_so && missing_mark_is_error(text + 1, length - 1));
}
