#include "io/json_unique.h"

#include <stdlib.h>

/* By their characters, then by where they stand. */
static int compare_names(const json_key *first, const json_key *second)
{
    const char *a = first->at + 1, *b = second->at + 1;
    uint32_t left, right;
    do {
        left = json_next_character(&a, first->end);
        right = json_next_character(&b, second->end);
    } while (left == right && left != JSON_STRING_END);
    return (left > right) - (left < right);
}

static int compare_keys(const void *first, const void *second)
{
    const json_key *a = first, *b = second;
    int order = compare_names(a, b);
    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

bool json_keys_unique(json_text *t, json_key *key, size_t count, err *e)
{
    const char *once = NULL, *again = NULL;
    qsort(key, count, sizeof key[0], compare_keys);
    for (size_t i = 1; i < count; i++) {
        bool earlier = again == NULL || key[i].at < again;
        if (earlier && compare_names(&key[i - 1], &key[i]) == 0) {
            once = key[i - 1].at;
            again = key[i].at;
        }
    }
    if (again == NULL)
        return true;
    char name[JSON_FOUND];
    place first = json_place(t, once), at = json_place(t, again);
    return err_at(e, &at, "key %s is given twice, first %s %zu", json_found(t, again, name),
                  first.has_byte ? "at byte" : "in line", first.has_byte ? first.byte : first.line);
}
