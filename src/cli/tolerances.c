#include "cli/tolerances.h"

#include "attn/stage.h"
#include "cli/stage_names.h"
#include "io/number_read.h"
#include "model/stack.h"

#include <string.h>

/* The parser has refused what has none. */
static const char *equals_of(const char *given)
{
    return strrchr(given, '=');
}

bool tolerance_given(const options *o, const char *name, double *tol)
{
    for (size_t i = o->tols.count; i > 0; i--) {
        const char *given = o->tols.item[i - 1], *equals = equals_of(given);
        size_t length = (size_t)(equals - given);
        if (strlen(name) == length && memcmp(given, name, length) == 0)
            return number_read_f64(equals + 1, equals + strlen(equals), tol);
    }
    return false;
}

static bool is_in(const text_list *names, const char *name, size_t length)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strlen(names->item[i]) == length && memcmp(names->item[i], name, length) == 0)
            return true;
    }
    return false;
}

static bool is_stage(const text_list *names, const char *name, size_t length)
{
    return named_find(&STAGES, name, length) != NULL ||
           (names == NULL ? stack_may_have_stage(name, length) : is_in(names, name, length));
}

bool tolerances_check(const options *o, const text_list *names, err *e)
{
    place at = place_of_option("tol");
    for (size_t i = 0; i < o->tols.count; i++) {
        const char *name = o->tols.item[i];
        size_t length = (size_t)(equals_of(name) - name);
        if (is_stage(names, name, length))
            continue;
        const char *near = stage_names_nearest(NULL, name, length);
        if (near == NULL && names != NULL)
            near = stage_names_nearest(names, name, length);
        err_at(e, &at, "there is no stage \"%.*s\"", (int)length, name);
        return near == NULL ? err_remedy(e, "selfattn help stages lists them")
                            : err_remedy(e, "did you mean \"%s\"?", near);
    }
    return true;
}
