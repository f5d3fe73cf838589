/* What of cJSON the program takes, for programs that are linked whole: Debian has no libcjson.a. A string is printed
 * with the same escapes, to the byte. */
#include <cjson/cJSON.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cJSON_Hooks hooks = {malloc, free};

void cJSON_InitHooks(cJSON_Hooks *given)
{
    hooks = *given;
}

cJSON *cJSON_CreateStringReference(const char *string)
{
    cJSON *item = hooks.malloc_fn(sizeof *item);
    if (item != NULL)
        *item = (cJSON){.type = cJSON_String | cJSON_IsReference, .valuestring = (char *)string};
    return item;
}

char *cJSON_PrintUnformatted(const cJSON *item)
{
    static const char ESCAPED[] = "\"\\\b\f\n\r\t", LETTER[] = "\"\\bfnrt";
    char *printed = hooks.malloc_fn(6 * strlen(item->valuestring) + 3), *at = printed;
    if (printed == NULL)
        return NULL;
    *at++ = '"';
    for (const char *from = item->valuestring; *from != '\0'; from++) {
        const char *escape = strchr(ESCAPED, *from);
        if (escape != NULL)
            at += sprintf(at, "\\%c", LETTER[escape - ESCAPED]);
        else if ((unsigned char)*from < ' ')
            at += sprintf(at, "\\u%04x", (unsigned)*from);
        else
            *at++ = *from;
    }
    *at++ = '"';
    *at = '\0';
    return printed;
}

void cJSON_free(void *printed)
{
    hooks.free_fn(printed);
}

void cJSON_Delete(cJSON *item)
{
    if (item != NULL)
        hooks.free_fn(item);
}
