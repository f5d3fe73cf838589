/* trace_formats FORMAT TRACE PAGE: a page against the JSON trace of the same run, which was asked
 * for with --full. With --alter as the first word, one digit of the page after the other is
 * changed, and each change that is not noticed is an error. */
#include "pages.h"
#include "tokens.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    size_t length = 0, room = 1 << 16;
    char *bytes = malloc(room);
    while (file != NULL && bytes != NULL) {
        length += fread(bytes + length, 1, room - length - 1, file);
        if (length + 1 < room)
            break;
        bytes = realloc(bytes, room *= 2);
    }
    if (file == NULL || bytes == NULL) {
        fprintf(stderr, "trace_formats: %s can't be read\n", name);
        exit(2);
    }
    fclose(file);
    bytes[length] = '\0';
    return bytes;
}

static cJSON *read_json(const char *name)
{
    char *bytes = read_file(name);
    cJSON *value = cJSON_Parse(bytes);
    free(bytes);
    if (value == NULL) {
        printf("FAIL %s is not a JSON\n", name);
        exit(1);
    }
    return value;
}

static bool notices_all(const cJSON *trace, char *bytes, const char *format)
{
    size_t changes = 0, unnoticed = 0;
    for (char *at = bytes; *at != '\0'; at++) {
        char was = *at;
        if (!isdigit((unsigned char)was))
            continue;
        *at = (char)('0' + (was - '0' + 1) % 10);
        changes++;
        if (page_agrees(trace, bytes, format, false)) {
            unnoticed++;
            printf("FAIL a changed digit is not noticed before: %.60s\n", at);
        }
        *at = was;
    }
    printf("%zu changes\n", changes);
    return unnoticed == 0 && changes > 100;
}

int main(int argc, char **argv)
{
    bool alters = argc > 1 && strcmp(argv[1], "--alter") == 0, is_right;
    char **word = argv + alters;
    if (argc - alters != 4) {
        fprintf(stderr, "trace_formats: [--alter] FORMAT TRACE PAGE\n");
        return 2;
    }
    cJSON *trace = read_json(word[2]);
    char *bytes = read_file(word[3]);
    /* A page with a title does not say the name. */
    if (strcmp(word[1], "html") == 0 && cJSON_IsString(cJSON_GetObjectItem(trace, "title")))
        cJSON_DeleteItemFromObject(trace, "name");
    tokens_strip(bytes, word[1]);
    is_right =
        alters ? notices_all(trace, bytes, word[1]) : page_agrees(trace, bytes, word[1], true);
    free(bytes);
    cJSON_Delete(trace);
    return !is_right;
}
