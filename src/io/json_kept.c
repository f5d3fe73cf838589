#include "io/json_kept.h"

#include "base/text.h"

#include <string.h>

static void add_value(json_text *t, text *to, const char *at, const char *end)
{
    while (at < end) {
        const char *next = *at == '"' ? json_value_end(t, at) : at + 1;
        if (strchr(" \t\r\n", *at) == NULL)
            text_add(to, at, (size_t)(next - at));
        if (*at == ',' || *at == ':')
            text_add_string(to, " ");
        at = next;
    }
}

bool json_keep(json_text *t, const char *at, entry *to, err *e)
{
    text kept = {0};
    add_value(t, &kept, at, json_value_end(t, at));
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
