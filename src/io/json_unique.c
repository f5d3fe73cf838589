#include "io/json_unique.h"

#include <stdlib.h>

/* By their characters, then by where they stand. */
static int compare_names(const char *a, const char *b)
{
    uint32_t left, right;
    a++;
    b++;
    do {
        left = json_next_character(&a);
        right = json_next_character(&b);
    } while (left == right && left != JSON_STRING_END);
    return (left > right) - (left < right);
}

static int compare_keys(const void *first, const void *second)
{
    const char *a = *(const char *const *)first, *b = *(const char *const *)second;
    int order = compare_names(a, b);
    return order != 0 ? order : (a > b) - (a < b);
}

bool json_keys_unique(json_text *t, const char **key, size_t count, err *e)
{
    const char *once = NULL, *again = NULL;
    qsort(key, count, sizeof key[0], compare_keys);
    for (size_t i = 1; i < count; i++) {
        bool earlier = again == NULL || key[i] < again;
        if (earlier && compare_names(key[i - 1], key[i]) == 0) {
            once = key[i - 1];
            again = key[i];
        }
    }
    if (again == NULL)
        return true;
    char name[JSON_FOUND];
    place first = json_place(t, once), at = json_place(t, again);
    return err_at(e, &at, "key %s is given twice, first %s %zu", json_found(t, again, name),
                  first.has_byte ? "at byte" : "in line", first.has_byte ? first.byte : first.line);
}
