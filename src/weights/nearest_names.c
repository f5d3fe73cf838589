#include "weights/nearest_names.h"

#include "base/nearest.h"
#include "base/text.h"

#include <string.h>

void nearest_names_look(nearest_names *n, const char *name)
{
    size_t length = strlen(n->wanted), at = n->count;
    size_t away = spelling_distance(n->wanted, length, name, strlen(name));
    while (at > 0 && n->distance[at - 1] > away)
        at--;
    if (away > spelling_reach(length) || at == NEAREST_MOST)
        return;
    n->count += n->count < NEAREST_MOST;
    for (size_t i = n->count - 1; i > at; i--) {
        n->name[i] = n->name[i - 1];
        n->distance[i] = n->distance[i - 1];
    }
    n->name[at] = name;
    n->distance[at] = away;
}

void nearest_names_suggest(const nearest_names *n, const char *instead, err *e)
{
    text names = {0};
    for (size_t i = 0; i < n->count; i++)
        text_add_format(&names, "%s%s",
                        i == 0              ? ""
                        : i + 1 == n->count ? " and "
                                            : ", ",
                        n->name[i]);
    if (n->count > 0)
        err_remedy(e, "nearest: %s%s%s", text_string(&names), *instead == '\0' ? "" : "; ",
                   instead);
    else if (*instead != '\0')
        err_remedy(e, "%s", instead);
    text_free(&names);
}
