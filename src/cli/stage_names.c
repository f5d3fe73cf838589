#include "cli/stage_names.h"

#include "attn/stage.h"
#include "base/nearest.h"

#include <string.h>

bool stage_names_have(const text_list *of_stack, const char *name)
{
    return of_stack != NULL ? text_list_find(of_stack, name) != NULL
                            : named_find(&STAGES, name, strlen(name)) != NULL;
}

static const char *nearest_of(const text_list *of_stack, const char *name, size_t length)
{
    const char *found = NULL;
    nearest near = nearest_to(name, length, spelling_reach(length));
    for (size_t i = 0; i < of_stack->count; i++) {
        if (nearest_is_nearer(&near, of_stack->item[i]))
            found = of_stack->item[i];
    }
    return found;
}

const char *stage_names_nearest(const text_list *of_stack, const char *name, size_t length)
{
    if (of_stack != NULL)
        return nearest_of(of_stack, name, length);
    const named *row = named_nearest(&STAGES, name, length);
    return row == NULL ? NULL : row->name;
}

bool stage_names_suggest(const text_list *of_stack, const char *name, err *e)
{
    const char *near = stage_names_nearest(of_stack, name, strlen(name));
    if (near != NULL)
        return err_remedy(e, "did you mean \"%s\"?", near);
    return of_stack == NULL ? err_remedy(e, "selfattn help stages lists them")
                            : err_remedy(e, "its first is %s, and its last %s; --emit '*' is all",
                                         of_stack->item[0], of_stack->item[of_stack->count - 1]);
}
