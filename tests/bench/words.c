#include "bench/words.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void words_add(words *w, const char *line)
{
    size_t used = w->count == 0 ? 0
                                : (size_t)(w->word[w->count - 1] - w->bytes) +
                                      strlen(w->word[w->count - 1]) + 1;
    assert(used + strlen(line) < WORDS_BYTES);
    strcpy(w->bytes + used, line);
    for (char *next = strtok(w->bytes + used, " "); next != NULL; next = strtok(NULL, " ")) {
        assert(w->count < WORDS_MOST);
        w->word[w->count++] = next;
    }
    w->word[w->count] = NULL;
}

const char *words_value(const words *w, const char *name, const char *otherwise)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < w->count; i++) {
        if (strncmp(w->word[i], name, length) == 0 && w->word[i][length] == '=')
            return w->word[i] + length + 1;
    }
    return otherwise;
}

size_t words_number(const words *w, const char *name, size_t otherwise)
{
    const char *value = words_value(w, name, NULL);
    return value == NULL ? otherwise : strtoul(value, NULL, 10);
}

bool words_are(const words *w, const char *name, const char *value)
{
    return strcmp(words_value(w, name, ""), value) == 0;
}
