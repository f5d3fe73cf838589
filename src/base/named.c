#include "base/named.h"

#include <string.h>

/* No name in any table is as long, and few of a bundle's are; longer ones are near nothing. */
enum { LONGEST_SPELLING = 192 };

const named *named_row(const named_table *table, size_t index)
{
    return (const named *)(const void *)((const char *)table->first + index * table->row);
}

const named *named_find(const named_table *table, const char *name, size_t length)
{
    for (size_t i = 0; i < table->count; i++) {
        const named *row = named_row(table, i);
        if (strlen(row->name) == length && memcmp(row->name, name, length) == 0)
            return row;
    }
    return NULL;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The "optimal string alignment" distance, three rows of its table at a time. */
size_t spelling_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST_SPELLING + 1];
    if (a_length > LONGEST_SPELLING || b_length > LONGEST_SPELLING)
        return a_length > b_length ? a_length : b_length;
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

const named *named_nearest(const named_table *table, const char *name, size_t length)
{
    const named *nearest = NULL;
    size_t best = length / 3 + 1; /* one slip in short words, a third of the letters in long ones */
    for (size_t i = 0; i < table->count; i++) {
        const named *row = named_row(table, i);
        size_t distance = spelling_distance(name, length, row->name, strlen(row->name));
        if (distance < best || (distance == best && nearest == NULL)) {
            best = distance;
            nearest = row;
        }
    }
    return nearest;
}

void named_list(const named_table *table, text *out)
{
    for (size_t i = 0; i < table->count; i++) {
        const char *join = i == 0 ? "" : i + 1 == table->count ? " or " : ", ";
        text_add_format(out, "%s%s", join, named_row(table, i)->name);
    }
}

const named *named_nearer(const named *a, const named *b, const char *name, size_t length)
{
    if (a == NULL || b == NULL)
        return a == NULL ? b : a;
    size_t to_a = spelling_distance(name, length, a->name, strlen(a->name));
    size_t to_b = spelling_distance(name, length, b->name, strlen(b->name));
    return to_b < to_a ? b : a;
}
