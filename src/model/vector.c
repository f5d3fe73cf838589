#include "model/vector.h"

static bool refuse(const entry *given, const char *of, size_t count, err *e)
{
    char shape[SHAPE_TEXT];
    return err_at(e, &given->at, "%s%s%s%s is %s, it must hold %zu number%s",
                  of == NULL ? "" : "the ", given->name, of == NULL ? "" : " of ",
                  of == NULL ? "" : of, tensor_shape_text(&given->tensor, shape), count,
                  count == 1 ? "" : "s");
}

bool vector_read(const bundle *from, const char *name, const char *of, size_t count, tensor *out,
                 err *e)
{
    const entry *given = bundle_find(from, name);
    *out = (tensor){0};
    if (given == NULL)
        return true;
    if (given->tensor.rank > 2 || tensor_count(&given->tensor) != count)
        return refuse(given, of, count, e);
    *out = tensor_view_of(&given->tensor);
    return true;
}
