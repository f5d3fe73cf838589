#include "io/json_again.h"

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

static bool add_matrix(json_again *a, const entry *taker)
{
    size_t length = strlen(taker->name);
    if (a->matrices == JSON_AGAIN_MOST || length >= JSON_AGAIN_NAME)
        return false;
    json_again_matrix *added = &a->matrix[a->matrices++];
    added->end = a->between.length;
    memcpy(added->name, taker->name, length + 1);
    added->numbers = tensor_view_of(&taker->tensor);
    return true;
}

void json_again_set(json_again *a, const char *bytes, const char *end, const json_lists *lists,
                    const bundle *read)
{
    json_again_forget(a);
    for (size_t i = 0; i < lists->count; i++) {
        const json_list *list = &lists->list[i];
        const entry *taker = taker_of(list, read);
        if (taker == NULL)
            continue; /* stays what stands between the others */
        text_add(&a->between, bytes, (size_t)(list->at - bytes));
        if (!add_matrix(a, taker))
            return;
        bytes = list->end;
    }
    text_add(&a->between, bytes, (size_t)(end - bytes));
    a->is_set = !a->between.failed;
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
    const char *behind;
    err ignored; /* who reads the text anew reports it */
    err_clear(&ignored);
    if (!json_list_read(&a->lists, *at, end, to->type, &values, &behind, &ignored) ||
        behind == NULL)
        return false;
    bool is_alike = tensor_same_shape(&values, to);
    if (is_alike)
        memcpy(to->data, values.data, tensor_count(to) * dtype_size(to->type));
    tensor_free(&values);
    *at = behind;
    return is_alike;
}

bool json_again_read(json_again *a, const char *bytes, size_t length)
{
    const char *at = bytes, *end = bytes + length;
    size_t passed = 0;
    bool is_alike = a->is_set;
    for (size_t i = 0; is_alike && i < a->matrices; i++) {
        const json_again_matrix *next = &a->matrix[i];
        is_alike = pass(a, passed, next->end, &at, end) && read_matrix(a, &next->numbers, &at, end);
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
    a->matrices = 0;
    a->is_set = false;
}

void json_again_free(json_again *a)
{
    text_free(&a->between);
    json_lists_free(&a->lists);
    *a = (json_again){0};
}
