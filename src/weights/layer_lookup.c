#include "weights/layer_lookup.h"

#include <string.h>

void layer_search_clear(layer_search *s)
{
    bool failed = s->name.failed;
    text_clear(&s->name);
    s->name.failed = failed;
}

static void begin_name(layer_search *s, size_t layer, const char *way)
{
    layer_search_clear(s);
    text_add_string(&s->name, s->before);
    if (!s->is_one)
        text_add_format(&s->name, "%0*zu%s", s->digits, layer, s->after);
    text_add_format(&s->name, "%s%s", way, *way == '\0' ? "" : ".");
}

bool layer_search_has(layer_search *s, size_t layer, const char *way)
{
    begin_name(s, layer, way);
    return name_index_first(&s->names, text_string(&s->name)) < s->names.count;
}

const char *layer_search_name(layer_search *s, size_t layer, const char *way, const char *tail)
{
    begin_name(s, layer, way);
    text_add_string(&s->name, tail);
    const indexed_name *found = name_index_find(&s->names, text_string(&s->name));
    return found == NULL ? NULL : found->name;
}

const char *layer_search_weight(layer_search *s, size_t layer, const char *way,
                                const convention *by, input which)
{
    char tail[CONVENTION_NAME];
    for (size_t n = 0; convention_name(by, which, n, tail); n++) {
        const char *found = layer_search_name(s, layer, way, tail);
        if (found != NULL)
            return found;
    }
    convention_name(by, which, 0, tail);
    layer_search_name(s, layer, way, tail);
    return NULL;
}

size_t layer_search_parent(const layer_search *s)
{
    size_t length = strlen(s->before);
    while (length > 0 && name_is_separator(s->before[length - 1]))
        length--;
    while (length > 0 && !name_is_separator(s->before[length - 1]))
        length--;
    return length;
}

indexed_name *layer_search_beside(layer_search *s, const char *names, const char *words,
                                  bool climbs)
{
    char name[LAYER_NAME], word[LAYER_NAME];
    for (size_t up = layer_search_parent(s);; up--) {
        bool is_parent = up == 0 || name_is_separator(s->before[up - 1]);
        for (size_t n = 0; is_parent && layer_convention_name(names, n, name); n++) {
            for (size_t i = 0; layer_convention_name(words, i, word); i++) {
                layer_search_clear(s);
                text_add_format(&s->name, "%.*s%s.%s", (int)up, s->before, name, word);
                indexed_name *found = name_index_find(&s->names, text_string(&s->name));
                if (found != NULL)
                    return found;
            }
        }
        if (up == 0 || !climbs)
            return NULL;
    }
}
