#include "io/json_kept.h"

#include "base/text.h"

#include <string.h>

/* A string ends at the quote that no backslash is in front of. */
static const char *end_of_string(const char *at)
{
    for (at++; *at != '"'; at++)
        at += *at == '\\';
    return at + 1;
}

static void add_value(text *to, const char *at, const char *end)
{
    while (at < end) {
        const char *next = *at == '"' ? end_of_string(at) : at + 1;
        if (strchr(" \t\r\n", *at) == NULL)
            text_add(to, at, (size_t)(next - at));
        if (*at == ',' || *at == ':')
            text_add_string(to, " ");
        at = next;
    }
}

bool json_keep(const json_text *t, const char *at, entry *to, err *e)
{
    text kept = {0};
    add_value(&kept, at, json_value_end(t, at));
    if (!text_ok(&kept, e)) {
        text_free(&kept);
        return false;
    }
    entry empty = {.name = to->name, .at = to->at, .kind = ENTRY_JSON};
    to->name = NULL;
    entry_free(to);
    *to = empty;
    to->text = kept.data;
    return true;
}
