#include "cli/tolerances.h"

#include "attn/stage.h"
#include "io/number_read.h"

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
    for (size_t i = 0; names != NULL && i < names->count; i++) {
        if (strlen(names->item[i]) == length && memcmp(names->item[i], name, length) == 0)
            return true;
    }
    return named_find(&STAGES, name, length) != NULL;
}

bool tolerances_check(const options *o, const text_list *names, err *e)
{
    for (size_t i = 0; i < o->tols.count; i++) {
        const char *name = o->tols.item[i];
        size_t length = (size_t)(equals_of(name) - name);
        if (is_in(names, name, length))
            continue;
        const named *near = named_nearest(&STAGES, name, length);
        err_at(e, &(place){.file = "tol", .is_option = true}, "there is no stage \"%.*s\"",
               (int)length, name);
        return near == NULL ? err_remedy(e, "selfattn help stages lists them")
                            : err_remedy(e, "did you mean \"%s\"?", near->name);
    }
    return true;
}
