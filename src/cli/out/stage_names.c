#include "cli/out/stage_names.h"

#include "attn/spec/stage.h"
#include "base/nearest.h"
#include "model/stages.h"

#include <stdio.h>
#include <string.h>

bool stage_names_have(const text_list *of_stack, const char *name)
{
    return of_stack != NULL ? text_list_find(of_stack, name) != NULL
                            : named_find(&STAGES, name, strlen(name)) != NULL;
}

const char *stage_names_nearest(const text_list *of_stack, const char *name, size_t length)
{
    nearest near = nearest_to(name, length, spelling_reach(length));
    const named *row = of_stack == NULL ? named_nearest(&STAGES, name, length) : NULL;
    for (size_t i = 0; of_stack != NULL && i < of_stack->count; i++)
        nearest_is_nearer(&near, of_stack->item[i]);
    return row == NULL ? near.found : row->name;
}

/* ---- what would make a stage ---- */

/* What stages of layers and generations need, where the table of stages does not say it: the end of
 * the stage's way, a stage that is always there with it, and what it needs. Settings that only a
 * layer can have are no options, so they are not listed. */
static const struct {
    const char *stage, *beside, *needs;
} NEEDS[] = {{"cross.q_rope", "scores", "\"rope\" in the layer's cross"},
             {"cross.k_rope", "scores", "\"rope\" in the layer's cross"},
             {"x_pos", "scores", "\"positions\" in its layer"},
             {"present_k", "scores", "a cache, and a stack begins without one"},
             {"present_v", "scores", "a cache, and a stack begins without one"},
             {"tempered", "logits", "the option --temperature"},
             {"exponentials", "logits", "the option --temperature"},
             {"probabilities", "logits", "the option --temperature"}};

/* The way may have a *, as --emit takes it. */
static bool is_beside(const text_list *of_stack, const char *name, const char *other)
{
    char pattern[2 * STAGE_NAME];
    int way = (int)(strrchr(name, '.') + 1 - name);
    snprintf(pattern, sizeof pattern, "%.*s%s", way, name, other);
    for (size_t i = 0; i < of_stack->count; i++) {
        if (stage_name_matches(pattern, of_stack->item[i]))
            return true;
    }
    return false;
}

const char *stage_names_needs(const text_list *of_stack, const char *name)
{
    const char *last = strrchr(name, '.');
    if (of_stack == NULL || last == NULL)
        return NULL;
    for (size_t i = 0; i < sizeof NEEDS / sizeof NEEDS[0]; i++) {
        /* Whether the way to the stage ends in these steps. */
        size_t length = strlen(name), steps = strlen(NEEDS[i].stage);
        if (length > steps && name[length - steps - 1] == '.' &&
            strcmp(name + length - steps, NEEDS[i].stage) == 0 &&
            is_beside(of_stack, name, NEEDS[i].beside))
            return NEEDS[i].needs;
    }
    const named *row = named_find(&STAGES, last + 1, strlen(last + 1));
    return row != NULL && is_beside(of_stack, name, "scores") ? stage_row(stage_of(row))->made_by
                                                              : NULL;
}

bool stage_names_suggest(const text_list *of_stack, const char *name, const char *all, err *e)
{
    const char *needs = stage_names_needs(of_stack, name);
    const char *near = stage_names_nearest(of_stack, name, strlen(name));
    if (needs != NULL)
        return err_remedy(e, "it needs %s", needs);
    if (near != NULL)
        return err_remedy(e, "did you mean \"%s\"?", near);
    return of_stack == NULL ? err_remedy(e, "selfattn help stages lists them")
                            : err_remedy(e, "its first is %s, and its last %s%s", of_stack->item[0],
                                         of_stack->item[of_stack->count - 1], all);
}

/* ---- --tol [NAME=]T ---- */

bool tolerance_given(const options *o, const char *name, double *tol)
{
    const tensor *said = bundle_tensor(&o->tols, name);
    if (said != NULL)
        *tol = tensor_get(said, NULL);
    return said != NULL;
}

bool tolerances_check(const options *o, const text_list *names, err *e)
{
    for (size_t i = 0; i < o->tols.count; i++) {
        const char *name = o->tols.entry[i].name;
        size_t length = strlen(name);
        if (named_find(&STAGES, name, length) != NULL ||
            (names == NULL ? stack_may_have_stage(name, length)
                           : text_list_find(names, name) != NULL))
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
