#include "io/ending.h"

#include <string.h>
#include <strings.h>

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
    const char *slash = strrchr(file, '/'), *name = slash == NULL ? file : slash + 1;
    const char *dot = strrchr(name, '.');
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
