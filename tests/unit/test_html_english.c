#include "render/html_english.h"
#include "unit.h"

#include <string.h>

/* Of two sentences of one name the script knows the last one alone. */
UNIT(html_english)
{
    text all = {0};
    size_t count = 0;
    html_add_english(&all);
    const char *at = text_string(&all);
    while ((at = strstr(at, "\":\"")) != NULL) {
        const char *begin = at;
        while (begin[-1] != '"')
            begin--;
        char name[64] = {0};
        size_t length = (size_t)(at - begin);
        CHECK(u, length < sizeof name - 4);
        memcpy(name, begin, length < sizeof name - 4 ? length : 0);
        strcat(name, "\":\"");
        const char *first = strstr(text_string(&all), name);
        while (first != NULL && first[-1] != '"')
            first = strstr(first + 1, name);
        CHECK_TEXT(u, first == begin ? name : "the same name before it", name);
        count++;
        at += strlen("\":\"");
    }
    CHECK(u, count > 100);
    text_free(&all);
}
