#include "listed.h"

#include "said.h"

#include <string.h>

static void list_tensor(const entry *one, text *out)
{
    char shape[SHAPE_TEXT];
    const tensor *t = &one->tensor;
    text_add_format(out, "%s %s %s:", one->axes == NULL ? "-" : one->axes, dtype_name(t->type),
                    tensor_shape_text(t, shape));
    size_t index[TENSOR_MAX_RANK] = {0};
    do {
        double value = tensor_get(t, index);
        if (tensor_is_hole(value))
            text_add_string(out, " hole");
        else
            text_add_format(out, " %.9g", value);
    } while (tensor_next(t, index));
}

const char *listed(const bundle *b, text *out)
{
    text_clear(out);
    for (size_t i = 0; i < b->count; i++) {
        const entry *one = &b->entry[i];
        text_add_format(out, "%s%s", one->name, one->name[0] == '\0' ? "" : " ");
        if (one->kind == ENTRY_TENSOR)
            list_tensor(one, out);
        for (size_t k = 0; one->kind == ENTRY_LIST && k < one->list.count; k++)
            text_add_format(out, "%s%s", k == 0 ? "" : "|", one->list.item[k]);
        text_add_string(out, "; ");
    }
    return text_string(out);
}

const char *listed_by(reader *read, const char *bytes, size_t length, const read_options *how,
                      text *out)
{
    bundle b = {0};
    err e = {0};
    text_clear(out);
    if (read(bytes, length, how, &b, &e))
        (void)listed(&b, out);
    else
        text_add_string(out, said(&e));
    bundle_free(&b);
    return text_string(out);
}

static bool same_tensor(const entry *a, const entry *b)
{
    return a->tensor.type == b->tensor.type && tensor_same_shape(&a->tensor, &b->tensor) &&
           strcmp(a->axes, b->axes) == 0 &&
           memcmp(a->tensor.data, b->tensor.data,
                  tensor_count(&a->tensor) * dtype_size(a->tensor.type)) == 0;
}

bool same_bits(const bundle *a, const bundle *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const entry *x = &a->entry[i], *y = &b->entry[i];
        if (x->kind != ENTRY_TENSOR || y->kind != ENTRY_TENSOR || strcmp(x->name, y->name) != 0 ||
            !same_tensor(x, y))
            return false;
    }
    return true;
}
