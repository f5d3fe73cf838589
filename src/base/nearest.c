#include "base/nearest.h"

#include <string.h>

/* Bytes. No table has a name as long, and few bundles do; a longer name is near none. */
enum { LONGEST_SPELLING = 192 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Writes the name without case, '_' and '-', which don't count. */
static size_t fold(const char *name, size_t length, char *out)
{
    size_t folded = 0;
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        if (c != '_' && c != '-')
            out[folded++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return folded;
}

/* The "optimal string alignment" distance, three rows of its table at a time. */
size_t spelling_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    char x[LONGEST_SPELLING], y[LONGEST_SPELLING];
    size_t rows[3][LONGEST_SPELLING + 1];
    if (a_length > LONGEST_SPELLING || b_length > LONGEST_SPELLING)
        return a_length > b_length ? a_length : b_length;
    size_t x_length = fold(a, a_length, x), y_length = fold(b, b_length, y);
    if (x_length == y_length && memcmp(x, y, x_length) == 0)
        return 0;
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *now = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t changed = above[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = least(changed, least(above[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

size_t spelling_reach(size_t length)
{
    return length < 6 ? 1 : length / 3;
}

nearest nearest_to(const char *wanted, size_t length, size_t reach)
{
    return (nearest){.wanted = wanted, .length = length, .below = reach + 1};
}

bool nearest_is_nearer(nearest *n, const char *name)
{
    size_t distance = spelling_distance(n->wanted, n->length, name, strlen(name));
    bool comes_first = n->by_letters && n->found != NULL && strcmp(name, n->found) < 0;
    if (distance > n->below || (distance == n->below && !comes_first))
        return false;
    n->below = distance;
    n->found = name;
    return true;
}
