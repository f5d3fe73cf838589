#include "attn/plan/plan_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool plan_check_range(const plan *p, const char *of, const char *name, double value, err *e)
{
    place at = problem_place(p->asked, of);
    if (p->type == DTYPE_F64 || isfinite((float)value))
        return true;
    err_at(e, &at, "%s is %g, beyond the range of float32", name, value);
    return err_remedy(e, "--dtype f64 has more range");
}

bool plan_note(plan *p, err *e, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    return text_list_add(&p->notes, line, strlen(line), e);
}

bool plan_wrong_shape(const plan *p, input which, err *e, const char *format, ...)
{
    char shape[SHAPE_TEXT], wanted[512];
    va_list args;
    va_start(args, format);
    vsnprintf(wanted, sizeof wanted, format, args);
    va_end(args);
    return err_at(e, &p->asked->at[which], "%s is %s, %s", input_label(which),
                  tensor_shape_text(p->asked->in[which], shape), wanted);
}

bool plan_refuse_parts(const problem *asked, const char *const *keys, size_t count,
                       const char *missing, const char *remedy, err *e)
{
    for (size_t i = 0; i < count; i++) {
        place at = problem_place(asked, keys[i]);
        if (bundle_find(asked->document, keys[i]) == NULL)
            continue;
        err_at(e, &at, "%s is given, and %s", keys[i], missing);
        return err_remedy(e, "%s", remedy);
    }
    return true;
}

bool plan_vector(const plan *p, input which, size_t count, tensor *out, err *e)
{
    const tensor *given = p->asked->in[which];
    *out = (tensor){0};
    if (given == NULL)
        return true;
    if (given->rank > 2 || tensor_count(given) != count)
        return plan_wrong_shape(p, which, e, "it must hold %zu number%s", count,
                                count == 1 ? "" : "s");
    *out = tensor_view_of(given);
    out->rank = 1;
    out->size[0] = count;
    out->stride[0] = 1;
    return true;
}
