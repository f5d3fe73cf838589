#include "cli/line/tolerances.h"

#include "attn/spec/stage.h"
#include "cli/out/stage_names.h"
#include "model/stack.h"

#include <string.h>

bool tolerance_given(const options *o, const char *name, double *tol)
{
    const tensor *said = bundle_tensor(&o->tols, name);
    if (said != NULL)
        *tol = tensor_get(said, NULL);
    return said != NULL;
}

static bool is_stage(const text_list *names, const char *name)
{
    size_t length = strlen(name);
    return named_find(&STAGES, name, length) != NULL ||
           (names == NULL ? stack_may_have_stage(name, length)
                          : text_list_find(names, name) != NULL);
}

bool tolerances_check(const options *o, const text_list *names, err *e)
{
    for (size_t i = 0; i < o->tols.count; i++) {
        const char *name = o->tols.entry[i].name;
        size_t length = strlen(name);
        if (is_stage(names, name))
            continue;
        const char *near = stage_names_nearest(NULL, name, length);
        if (near == NULL && names != NULL)
            near = stage_names_nearest(names, name, length);
        err_option(e, "tol", "there is no stage \"%s\"", name);
        return near == NULL ? err_remedy(e, "selfattn help stages lists them")
                            : err_remedy(e, "did you mean \"%s\"?", near);
    }
    return true;
}
