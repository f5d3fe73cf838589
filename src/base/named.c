#include "base/named.h"

#include "base/nearest.h"
#include "base/path.h"

#include <string.h>
#include <strings.h>

size_t named_count(const named_table *table)
{
    size_t count = table->count;
    for (const named_table *const *part = table->parts; part != NULL && *part != NULL; part++)
        count += named_count(*part);
    return count;
}

const named *named_row(const named_table *table, size_t index)
{
    if (table->parts != NULL) {
        const named_table *const *part = table->parts;
        for (; index >= named_count(*part); part++)
            index -= named_count(*part);
        return named_row(*part, index);
    }
    return (const named *)(const void *)((const char *)table->first + index * table->row);
}

const named *named_find(const named_table *table, const char *name, size_t length)
{
    for (const named_table *const *part = table->parts; part != NULL && *part != NULL; part++) {
        const named *found = named_find(*part, name, length);
        if (found != NULL)
            return found;
    }
    for (size_t from = 0, to = table->count; table->is_sorted && from < to;) {
        size_t middle = from + (to - from) / 2;
        const named *row = named_row(table, middle);
        int order = strncmp(row->name, name, length);
        if (order == 0 && row->name[length] == '\0')
            return row;
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    if (table->is_sorted)
        return NULL;
    const char *at = (const char *)table->first;
    for (size_t i = 0; i < table->count; i++, at += table->row) {
        const named *row = (const named *)(const void *)at;
        if (strlen(row->name) == length && memcmp(row->name, name, length) == 0)
            return row;
    }
    return NULL;
}

/* Of several synonyms with this name, the first one counts whose meaning is in the table. '-', '_'
 * and capitals make no difference. */
const named *named_by_synonym(const named_table *table, const char *name, size_t length)
{
    for (const synonym *s = table->synonyms; s != NULL && s->name != NULL; s++) {
        if (spelling_distance(name, length, s->name, strlen(s->name)) != 0)
            continue;
        for (size_t i = 0; i < named_count(table); i++) {
            const named *row = named_row(table, i);
            if (spelling_distance(s->means, strlen(s->means), row->name, strlen(row->name)) == 0)
                return row;
        }
    }
    return NULL;
}

const named *named_nearest(const named_table *table, const char *name, size_t length)
{
    const named *found = named_by_synonym(table, name, length);
    if (found != NULL)
        return found;
    /* The names of a table are few and unlike each other, so that a slip more is not a wrong guess:
     * "jsonlines" is jsonl, and "halves" half. But any letter is one slip away from any other. */
    nearest near = nearest_to(name, length, length < 2 ? 0 : length / 3 + 1);
    for (size_t i = 0; i < named_count(table); i++) {
        const named *row = named_row(table, i);
        if (nearest_is_nearer(&near, row->name))
            found = row;
    }
    return found;
}

void named_list(const named_table *table, text *out)
{
    for (size_t i = 0; i < named_count(table); i++) {
        const char *join = i == 0 ? "" : i + 1 == named_count(table) ? " or " : ", ";
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

/* ---- what the end of a file's name says of its format ---- */

static bool is_of(const char *endings, const char *file)
{
    size_t length = strlen(file);
    for (const char *p = endings; *p != '\0';) {
        size_t ending = strcspn(p, " ");
        if (length > ending && strncasecmp(file + length - ending, p, ending) == 0)
            return true;
        p += ending;
        p += strspn(p, " ");
    }
    return false;
}

static const char *endings_of(const ending_table *table, const named *row)
{
    return *(const char *const *)(const void *)((const char *)row + table->at);
}

const named *ending_find(const ending_table *table, const char *file)
{
    for (size_t i = 0; i < named_count(table->rows); i++) {
        const named *row = named_row(table->rows, i);
        if (is_of(endings_of(table, row), file))
            return row;
    }
    return NULL;
}

bool ending_check(const ending_table *table, const char *what, const char *file, err *e)
{
    static const char ANYTHING[] = ".tmp .temp .part .new .old .bak .out .log .dat";
    /* The name's last dot and what follows, where that looks like a type of file: a letter, and
     * up to four letters or digits. Not so are dates, versions, and the random letters of
     * mktemp. */
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    enum { DIGITS = 10, LEAST = 2, MOST = 5 };
    const char *name = path_name(file), *dot = strrchr(name, '.');
    size_t length = dot == NULL || dot == name ? 0 : strlen(dot + 1);
    bool is_type = length >= LEAST && length <= MOST && strspn(dot + 1, LETTERS) == length &&
                   memchr(LETTERS, dot[1], sizeof LETTERS - 1 - DIGITS) != NULL;
    text there = {0};
    if (!is_type || is_of(ANYTHING, file) || ending_find(table, file) != NULL)
        return true;
    size_t count = named_count(table->rows);
    for (size_t i = 0; i < count; i++) {
        const char *first = endings_of(table, named_row(table->rows, i));
        text_add_string(&there, i == 0 ? "" : i + 1 == count ? " or " : ", ");
        text_add(&there, first, strcspn(first, " "));
    }
    err_set(e, "%s ends in %s, and %s in %s", file, dot, what, text_string(&there));
    text_free(&there);
    return false;
}
