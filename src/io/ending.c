#include "io/ending.h"

#include <string.h>
#include <strings.h>

static bool ends_with(const char *file, size_t length, const char *ending, size_t ending_length)
{
    return length > ending_length &&
           strncasecmp(file + length - ending_length, ending, ending_length) == 0;
}

bool ending_is_of(const char *endings, const char *file)
{
    size_t length = strlen(file);
    for (const char *p = endings; *p != '\0';) {
        size_t ending = strcspn(p, " ");
        if (ends_with(file, length, p, ending))
            return true;
        p += ending;
        p += strspn(p, " ");
    }
    return false;
}
