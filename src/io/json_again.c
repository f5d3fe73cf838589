#include "io/json_again.h"

#include "base/mem.h"

#include <string.h>

/* The entry that took the list's numbers, or NULL where they went elsewhere, or nowhere. */
static const entry *taker_of(const json_list *list, const bundle *read)
{
    bool is_taken = list->values.data == NULL;
    for (size_t i = 0; is_taken && i < read->count; i++) {
        const entry *one = &read->entry[i];
        if (one->kind == ENTRY_TENSOR && one->tensor.data == list->data)
            return one;
    }
    return NULL;
}

/* False where there is no room for it. */
static bool name_value(json_again_value *value, const char *name)
{
    size_t length = strlen(name);
    if (length >= JSON_AGAIN_NAME)
        return false;
    memcpy(value->name, name, length + 1);
    return true;
}

void json_again_note(json_again *a, const char *name, const char *at, const char *end)
{
    json_again_place noted = {at, end, {.is_text = true}};
    if (a->texts < JSON_AGAIN_TEXTS && name_value(&noted.value, name))
        a->text[a->texts++] = noted;
}

/* In the order of the text; false where there are too many. */
static bool add_place(json_again_place *all, size_t *count, const json_again_place *one)
{
    size_t at = *count;
    if (*count == JSON_AGAIN_MOST)
        return false;
    for (; at > 0 && all[at - 1].at > one->at; at--)
        all[at] = all[at - 1];
    all[at] = *one;
    *count += 1;
    return true;
}

void json_again_set(json_again *a, const char *bytes, const char *end, const json_lists *lists,
                    const bundle *read)
{
    /* What may differ: lists that an entry took, and the texts that were noted. */
    json_again_place all[JSON_AGAIN_MOST];
    size_t count = 0;
    bool done = true;
    for (size_t i = 0; done && i < lists->count; i++) {
        const json_list *list = &lists->list[i];
        const entry *taker = taker_of(list, read);
        if (taker == NULL)
            continue; /* stays what stands between the others */
        json_again_place one = {list->at, list->end, {.numbers = tensor_view_of(&taker->tensor)}};
        done = name_value(&one.value, taker->name) && add_place(all, &count, &one);
    }
    for (size_t i = 0; done && i < a->texts; i++)
        done = add_place(all, &count, &a->text[i]);
    json_again_forget(a);
    for (size_t i = 0; done && i < count; i++) {
        done = all[i].at >= bytes; /* else the text has changed */
        text_add(&a->between, bytes, done ? (size_t)(all[i].at - bytes) : 0);
        a->value[a->values] = all[i].value;
        a->value[a->values++].end = a->between.length;
        bytes = all[i].end;
    }
    text_add(&a->between, bytes, (size_t)(end - bytes));
    a->is_set = done && !a->between.failed;
}

/* Goes over the same bytes as there are from `from` to `to` between the matrices. */
static bool pass(const json_again *a, size_t from, size_t to, const char **at, const char *end)
{
    size_t length = to - from;
    if ((size_t)(end - *at) < length || memcmp(*at, text_string(&a->between) + from, length) != 0)
        return false;
    *at += length;
    return true;
}

static bool read_matrix(json_again *a, const tensor *to, const char **at, const char *end)
{
    tensor values = {0};
    const char *after;
    err ignored; /* who reads the text anew reports it */
    err_clear(&ignored);
    if (!json_list_read(&a->lists, *at, end, to->type, &values, &after, &ignored) || after == NULL)
        return false;
    bool is_alike = tensor_same_shape(&values, to);
    if (is_alike)
        memcpy(to->data, values.data, tensor_count(to) * dtype_size(to->type));
    tensor_free(&values);
    *at = after;
    return is_alike;
}

static bool read_text(entry *to, const char **at, const char *end)
{
    const char *first = *at + 1, *after = first;
    if (*at == end || **at != '"')
        return false;
    while (after < end && json_is_plain(*after))
        after++;
    *at = after + 1;
    if (after == end || *after != '"' || to == NULL || to->kind != ENTRY_TEXT || to->borrows)
        return false;
    err ignored;
    err_clear(&ignored);
    char *copy = mem_copy_text(first, (size_t)(after - first), &ignored);
    if (copy != NULL) {
        mem_free(to->text);
        to->text = copy;
    }
    return copy != NULL;
}

bool json_again_read(json_again *a, const char *bytes, size_t length, bundle *to)
{
    const char *at = bytes, *end = bytes + length;
    size_t passed = 0;
    bool is_alike = a->is_set;
    for (size_t i = 0; is_alike && i < a->values; i++) {
        const json_again_value *next = &a->value[i];
        is_alike = pass(a, passed, next->end, &at, end) &&
                   (next->is_text ? read_text(bundle_find(to, next->name), &at, end)
                                  : read_matrix(a, &next->numbers, &at, end));
        passed = next->end;
    }
    is_alike = is_alike && pass(a, passed, a->between.length, &at, end) && at == end;
    if (!is_alike)
        json_again_forget(a);
    return is_alike;
}

void json_again_forget(json_again *a)
{
    if (a->between.failed)
        text_free(&a->between);
    text_clear(&a->between);
    a->values = a->texts = 0;
    a->is_set = false;
}

void json_again_free(json_again *a)
{
    text_free(&a->between);
    json_lists_free(&a->lists);
    *a = (json_again){0};
}
