#include "cli/check/checker.h"

#include "attn/spec/stage.h"
#include "cli/check/check_page.h"
#include "cli/out/note.h"
#include "cli/out/stage_names.h"
#include "cli/line/tolerances.h"
#include "model/keys.h"

#include <string.h>

/* Where a document has no tol: published numbers come from a calculator, in float64. And where
 * another program's are checked: most often they are float32. */
static const double DEFAULT_TOL = 1e-9, ACTUAL_TOL = 1e-5;

double check_tolerance(const checker *c, const bundle *contents, const char *name)
{
    const entry *tol = bundle_find(contents, "tol");
    const tensor *number = NULL;
    double given;
    if (tolerance_given(c->given, name, &given))
        return given;
    if (c->given->has_tol)
        return c->given->tol;
    if (c->actual != NULL)
        return ACTUAL_TOL;
    if (tol != NULL)
        number = tol->kind == ENTRY_BUNDLE ? bundle_tensor(tol->bundle, name) : &tol->tensor;
    return number == NULL ? DEFAULT_TOL : tensor_get(number, NULL);
}

static bool refuse_name(const entry *one, const text_list *of_stack, err *e)
{
    err_at(e, &one->at, "there is no stage \"%s\"%s", one->name,
           of_stack == NULL ? "" : " in this stack");
    return stage_names_suggest(of_stack, one->name, "", e);
}

/* Whether somebody may have meant a stage by it. */
static bool resembles(const text_list *of_stack, const char *name)
{
    return stage_names_nearest(of_stack, name, strlen(name)) != NULL ||
           stage_names_needs(of_stack, name) != NULL;
}

bool check_refuse_numbers(const checker *c, const bundle *numbers, const text_list *of_stack,
                          err *e)
{
    place at = check_actual_place(c->actual);
    for (size_t i = 0; i < numbers->count; i++) {
        if (resembles(of_stack, numbers->entry[i].name))
            return refuse_name(&numbers->entry[i], of_stack, e);
    }
    if (of_stack == NULL)
        return check_actual_refuse_stageless(c->actual, e);
    err_at(e, &at, "there is no stage of this stack in this %s", at.line > 0 ? "line" : "file");
    return stage_names_suggest(of_stack, "", "", e);
}

static bool check_names(const bundle *by_stage, const text_list *of_stack, err *e)
{
    for (size_t i = 0; i < by_stage->count; i++) {
        const entry *one = &by_stage->entry[i];
        if (!stage_names_have(of_stack, one->name))
            return refuse_name(one, of_stack, e);
    }
    return true;
}

/* A stage, or what stands besides stages: remarks, and what a document has, of which they may be a
 * copy. */
static bool is_usual(const entry *one, const text_list *of_stack)
{
    return stage_names_have(of_stack, one->name) || check_is_aside(one) ||
           key_find(&STACK_DOCUMENT, one->name, strlen(one->name)) != NULL;
}

static bool has_stage(const bundle *numbers, const text_list *of_stack)
{
    for (size_t i = 0; i < numbers->count; i++) {
        if (stage_names_have(of_stack, numbers->entry[i].name))
            return true;
    }
    return false;
}

/* Another program's result may have anything besides stages, and answers nothing else. */
static bool check_names_of_result(const checker *c, const bundle *numbers,
                                  const text_list *of_stack, err *e)
{
    enum { NOTED_MOST = 16 }; /* each is compared with every stage, for the nearest */
    bool is_noted = has_stage(numbers, of_stack);
    size_t unknown = 0;
    for (size_t i = 0; i < numbers->count; i++) {
        const entry *one = &numbers->entry[i];
        if (is_usual(one, of_stack))
            continue;
        if (c->given->answers.count > 0 || check_map_gives(&c->actual->map, one->name))
            return refuse_name(one, of_stack, e);
        if (is_noted && unknown++ < NOTED_MOST) {
            /* Of attention no stage is one number: that is a remark. A slip is likely where the
             * stage that was meant is not there. */
            const char *near = stage_names_nearest(of_stack, one->name, strlen(one->name));
            bool is_slip = near != NULL && bundle_find(numbers, near) == NULL;
            if (one->tensor.rank > 0 || (of_stack != NULL && is_slip))
                note_say(c->world, c->given, NULL, "%s has %s, which is not a stage%s%s%s%s",
                         one->at.file, one->name, of_stack == NULL ? "" : " of this stack",
                         is_slip ? "; did you mean " : "", is_slip ? near : "", is_slip ? "?" : "");
        }
    }
    if (unknown > NOTED_MOST)
        note_say(c->world, c->given, NULL, "%zu more names in it are not stages",
                 unknown - NOTED_MOST);
    return true;
}

bool check_numbers_names(const checker *c, const bundle *numbers, const text_list *of_stack, err *e)
{
    return c->actual == NULL ? check_names(numbers, of_stack, e)
                             : check_names_of_result(c, numbers, of_stack, e);
}

/* A tolerance is from 0; one a stage is for stages that there are. */
bool check_tolerances(const bundle *contents, const text_list *of_stack, err *e)
{
    const entry *tol = bundle_find(contents, "tol");
    if (tol == NULL)
        return true;
    bool is_one = tol->kind != ENTRY_BUNDLE;
    size_t count = is_one ? 1 : tol->bundle->count;
    for (size_t i = 0; i < count; i++) {
        const entry *one = is_one ? tol : &tol->bundle->entry[i];
        double value = tensor_get(&one->tensor, NULL);
        if (!(value >= 0))
            return err_at(e, &one->at, "the tolerance is %g, it must be a number from 0", value);
    }
    return is_one || check_names(tol->bundle, of_stack, e);
}

const char *check_numbers_name(const checker *c)
{
    return c->actual != NULL ? "actual" : "expected";
}
