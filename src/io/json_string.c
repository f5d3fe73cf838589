#include "io/json_string.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "io/json_scan_string.h"
#include "io/number_read.h"

#include <cjson/cJSON.h>
#include <string.h>

void json_string_use_account(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = mem_take, .free_fn = mem_free});
}

/* A name with a NUL in it would end there for everyone who reads it afterwards. */
static bool has_nul(const json_text *t, const char *at)
{
    uint32_t character;
    at++;
    do
        character = json_next_character(&at, t->end);
    while (character != 0 && character != JSON_STRING_END);
    return character == 0;
}

/* The scan has passed the string, so memory is all that can be missing, or it is no more what it
 * was. */
static void fail_parse(json_text *t, const char *at, size_t length, err *e)
{
    err unsaid = {0};
    if (json_scan_string(t, at, &unsaid) == NULL)
        json_fail_changed(t, e);
    else
        mem_fail(e, length);
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
    if (has_nul(t, at)) {
        where = json_place(t, at);
        err_at(e, &where, "the string holds the character \\u0000, which no text or name may");
        return NULL;
    }
    size_t length = (size_t)(json_value_end(t, at) - at);
    cJSON *item = cJSON_ParseWithLength(at, length);
    char *string = NULL;
    if (cJSON_IsString(item))
        string = copy_checked(t, at, item->valuestring, most, e);
    else
        fail_parse(t, at, length, e);
    cJSON_Delete(item);
    return string;
}

bool json_nonfinite_read(json_text *t, const char *at, double *value)
{
    const char *end = json_value_end(t, at);
    return end - at > 2 && number_read_nonfinite(at + 1, end - 1, value);
}

void json_string_write(text *to, const char *string)
{
    cJSON *item = cJSON_CreateStringReference(string);
    char *printed = item == NULL ? NULL : cJSON_PrintUnformatted(item);
    if (printed == NULL) {
        to->failed = true;
    } else {
        utf8_make_valid(printed);
        text_add_string(to, printed);
    }
    cJSON_free(printed);
    cJSON_Delete(item);
}
