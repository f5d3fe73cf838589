#include "cli/in/map_patterns.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static const char HOLE[] = "{}";
enum { HOLE_LENGTH = sizeof HOLE - 1 };

/* One side of a pair: what stands before {} and after it. */
typedef struct pattern {
    const char *before, *after;
    size_t before_length, after_length;
} pattern;

static bool pattern_read(pattern *p, const char *side, size_t length)
{
    const char *hole = strstr(side, HOLE);
    if (hole == NULL || hole + HOLE_LENGTH > side + length)
        return false;
    *p = (pattern){.before = side,
                   .before_length = (size_t)(hole - side),
                   .after = hole + HOLE_LENGTH,
                   .after_length = length - (size_t)(hole - side) - HOLE_LENGTH};
    return true;
}

/* Whether the name is one of the pattern, and with which number. */
static bool pattern_matches(const pattern *p, const char *name, unsigned long *number)
{
    if (strncmp(name, p->before, p->before_length) != 0)
        return false;
    const char *digits = name + p->before_length, *after = digits + strspn(digits, "0123456789");
    *number = strtoul(digits, NULL, 10);
    return after > digits && strlen(after) == p->after_length &&
           memcmp(after, p->after, p->after_length) == 0;
}

static bool add_pair(const pattern *own, const text_list *ours, unsigned long number,
                     const char *key, text_list *to, err *e)
{
    text pair = {0};
    unsigned long other;
    size_t i = 0;
    while (ours != NULL && i < ours->count &&
           !(pattern_matches(own, ours->item[i], &other) && other == number))
        i++;
    if (ours != NULL && i < ours->count)
        text_add_string(&pair, ours->item[i]);
    else
        text_add_format(&pair, "%.*s%lu%.*s", (int)own->before_length, own->before, number,
                        (int)own->after_length, own->after);
    text_add_format(&pair, "=%s", key);
    bool done = text_ok(&pair, e) && text_list_add(to, text_string(&pair), pair.length, e);
    text_free(&pair);
    return done;
}

bool map_write_out(const text_list *map, const text_list *ours, const text_list *theirs,
                   text_list *to, err *e)
{
    bool done = true;
    for (size_t i = 0; i < map->count && done; i++) {
        const char *pair = map->item[i], *equals = strchr(pair, '=');
        const size_t before = to->count;
        pattern own, other;
        bool is_pattern = pattern_read(&own, pair, (size_t)(equals - pair)) &&
                          pattern_read(&other, equals + 1, strlen(equals + 1));
        for (size_t j = 0; is_pattern && j < theirs->count && done; j++) {
            unsigned long number;
            done = !pattern_matches(&other, theirs->item[j], &number) ||
                   add_pair(&own, ours, number, theirs->item[j], to, e);
        }
        done = done && (to->count > before || text_list_add(to, pair, strlen(pair), e));
    }
    return done;
}
