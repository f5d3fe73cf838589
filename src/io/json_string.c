#include "io/json_string.h"

#include "base/mem.h"

#include <cjson/cJSON.h>
#include <string.h>

/* A name with a NUL in it would end there for everyone who reads it afterwards. */
static bool has_nul(const char *at)
{
    uint32_t character;
    at++;
    do
        character = json_next_character(&at);
    while (character != 0 && character != JSON_STRING_END);
    return character == 0;
}

static char *copy_checked(json_text *t, const char *at, const char *string, size_t most, err *e)
{
    size_t length = strlen(string);
    if (most == 0 || length <= most)
        return mem_copy_text(string, length, e);
    place where = json_place(t, at);
    err_at(e, &where, "a label of %zu bytes; at most %zu are read", length, most);
    return NULL;
}

char *json_string_read(json_text *t, const char *at, size_t most, err *e)
{
    place where;
    if (has_nul(at)) {
        where = json_place(t, at);
        err_at(e, &where, "the string holds the character \\u0000, which no text or name may");
        return NULL;
    }
    size_t length = (size_t)(json_value_end(t, at) - at);
    cJSON *item = cJSON_ParseWithLength(at, length);
    if (item == NULL) { /* the scan has passed the string, so memory is all that can be missing */
        err_no_memory(e, length);
        return NULL;
    }
    char *string = copy_checked(t, at, item->valuestring, most, e);
    cJSON_Delete(item);
    return string;
}

void json_string_write(text *to, const char *string)
{
    cJSON *item = cJSON_CreateStringReference(string);
    char *printed = item == NULL ? NULL : cJSON_PrintUnformatted(item);
    if (printed == NULL)
        to->failed = true;
    else
        text_add_string(to, printed);
    cJSON_free(printed);
    cJSON_Delete(item);
}
