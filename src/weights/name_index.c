#include "weights/name_index.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

bool name_is_separator(char c)
{
    return c == '.' || c == '/';
}

static int letter(char c)
{
    return c == '/' ? '.' : (unsigned char)c;
}

static int compare_letters(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (letter(a[i]) != letter(b[i]))
            return letter(a[i]) - letter(b[i]);
    }
    return 0;
}

static int compare_names(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int order = compare_letters(a, b, a_length < b_length ? a_length : b_length);
    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

static int compare_items(const void *a, const void *b)
{
    const indexed_name *one = a, *other = b;
    return compare_names(one->name, one->length, other->name, other->length);
}

static size_t length_without_number(const char *name)
{
    size_t length = strlen(name);
    return length > 2 && strcmp(name + length - 2, ":0") == 0 ? length - 2 : length;
}

bool name_index_make(name_index *x, const text_list *names, err *e)
{
    x->item = mem_alloc_zeroed(names->count, sizeof x->item[0], e);
    if (x->item == NULL)
        return false;
    x->count = names->count;
    for (size_t i = 0; i < x->count; i++)
        x->item[i] = (indexed_name){names->item[i], length_without_number(names->item[i]), false};
    qsort(x->item, x->count, sizeof x->item[0], compare_items);
    return true;
}

void name_index_free(name_index *x)
{
    mem_free(x->item);
    *x = (name_index){0};
}

static size_t first_behind(const name_index *x, const char *beginning, size_t length)
{
    size_t from = 0, to = x->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const indexed_name *one = &x->item[middle];
        if (compare_names(one->name, one->length, beginning, length) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from < x->count && name_begins(&x->item[from], beginning, length) ? from : x->count;
}

size_t name_index_first(const name_index *x, const char *beginning)
{
    return first_behind(x, beginning, strlen(beginning));
}

indexed_name *name_index_find(const name_index *x, const char *name)
{
    size_t length = length_without_number(name), first = first_behind(x, name, length);
    return first < x->count && x->item[first].length == length ? &x->item[first] : NULL;
}

bool name_begins(const indexed_name *one, const char *beginning, size_t length)
{
    return one->length >= length && compare_letters(one->name, beginning, length) == 0;
}
