#include "io/json_way.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* What is left of the way behind the name at `key`, from its point on; NULL where the way does not
 * begin with the name. */
static const char *behind_name(const json_text *t, const char *key, const char *way)
{
    const char *end = way + strlen(way);
    uint32_t c;
    for (key++; (c = json_next_character(&key, t->end)) != JSON_STRING_END;) {
        utf8_character wanted = utf8_read(way, end);
        if (wanted.bytes == 0 || wanted.code != c)
            return NULL;
        way += wanted.bytes;
    }
    return *way == '\0' || *way == '.' ? way : NULL;
}

static const char *find_member(json_text *t, const char *object, const char *way)
{
    const char *inside = NULL, *value;
    for (const char *key = json_first(t, object); key != NULL;
         key = json_next(t, json_value_end(t, value))) {
        const char *rest = behind_name(t, key, way);
        value = json_member(t, key);
        if (rest != NULL && *rest == '\0')
            return value;
        if (rest != NULL && inside == NULL)
            inside = json_way_find(t, value, rest + 1);
    }
    return inside;
}

static const char *find_item(json_text *t, const char *list, const char *way)
{
    size_t digits = strspn(way, "0123456789");
    if (digits == 0 || (digits > 1 && *way == '0') || (way[digits] != '\0' && way[digits] != '.'))
        return NULL;
    unsigned long long left = strtoull(way, NULL, 10);
    const char *item = json_first(t, list);
    for (; item != NULL && left > 0; left--)
        item = json_next(t, json_value_end(t, item));
    return item == NULL || way[digits] == '\0' ? item : json_way_find(t, item, way + digits + 1);
}

const char *json_way_find(json_text *t, const char *at, const char *way)
{
    return *at == '{' ? find_member(t, at, way) : *at == '[' ? find_item(t, at, way) : NULL;
}
