#include "cli/check/check_page.h"

#include "attn/engine/compare.h"
#include "base/nearest.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

bool check_is_aside(const entry *one)
{
    return one->name[0] == '_';
}

bool check_page_saves(const char *name)
{
    static const char *const NAMES[] = {CHECK_COMMAND, CHECK_DOCUMENT, CHECK_BATCH};
    size_t i = 0, count = sizeof NAMES / sizeof NAMES[0];
    while (i < count && strcmp(name, NAMES[i]) != 0)
        i++;
    return i < count || strncmp(name, CHECK_ASKED, sizeof CHECK_ASKED - 1) == 0;
}

/* ---- what no page saves ---- */

static bool check_command(const entry *one, err *e)
{
    bool is_known = one->kind == ENTRY_TEXT &&
                    (strcmp(one->text, "encode") == 0 || strcmp(one->text, "decode") == 0);
    return is_known || err_at(e, &one->at, "%s must be \"encode\" or \"decode\"", one->name);
}

static bool check_batch(const entry *one, err *e)
{
    bool is_number = one->kind == ENTRY_TENSOR && one->tensor.rank == 0;
    double number = is_number ? tensor_get(&one->tensor, NULL) : 0;
    return (number >= 1 && number == floor(number)) ||
           err_at(e, &one->at, "%s must be a whole number from 1", one->name);
}

static bool refuse_asked(const bundle *answers, const entry *one, const char *name, err *e)
{
    size_t length = strlen(name);
    nearest near = nearest_to(name, length, spelling_reach(length));
    for (size_t i = 0; i < answers->count; i++) {
        const entry *other = &answers->entry[i];
        if (other->kind == ENTRY_TENSOR && !check_is_aside(other))
            nearest_is_nearer(&near, other->name);
    }
    err_at(e, &one->at, "%s says what was asked for, and there are no answers to \"%s\"", one->name,
           name);
    return near.found != NULL && err_remedy(e, "did you mean \"%s%s\"?", CHECK_ASKED, near.found);
}

static bool check_asked(const bundle *answers, const entry *one, const char *name, err *e)
{
    const entry *to = bundle_find(answers, name);
    if (to == NULL || to->kind != ENTRY_TENSOR)
        return refuse_asked(answers, one, name, e);
    if (one->kind != ENTRY_TENSOR)
        return err_at(e, &one->at, "%s must be a matrix of 1 and 0", one->name);
    if (!tensor_same_shape(&one->tensor, &to->tensor)) {
        char asked[SHAPE_TEXT], shape[SHAPE_TEXT];
        return err_at(e, &one->at, "%s is %s, and %s is %s", one->name,
                      tensor_shape_text(&one->tensor, asked), to->name,
                      tensor_shape_text(&to->tensor, shape));
    }
    element at = {.stage = name, .axes = to->axes, .rank = to->tensor.rank};
    do {
        double value = tensor_get(&one->tensor, at.index);
        if (value != 0 && value != 1) {
            text cell = {0};
            element_write_name(&at, &cell);
            if (text_ok(&cell, e))
                err_at(e, &one->at, "%s%s must be 1 (asked for) or 0", CHECK_ASKED,
                       text_string(&cell));
            text_free(&cell);
            return false;
        }
    } while (tensor_next(&one->tensor, at.index));
    return true;
}

bool check_page(const bundle *answers, err *e)
{
    const entry *command = bundle_find(answers, CHECK_COMMAND);
    const entry *batch = bundle_find(answers, CHECK_BATCH);
    const entry *of = bundle_find(answers, CHECK_DOCUMENT);
    bool done = (command == NULL || check_command(command, e)) &&
                (of == NULL ||
                 (of->kind == ENTRY_TEXT || err_at(e, &of->at, "%s must be a name", of->name))) &&
                (batch == NULL || check_batch(batch, e));
    for (size_t i = 0; i < answers->count && done; i++) {
        const entry *one = &answers->entry[i];
        /* The stage that it says the cells of; NULL: it is something else. */
        size_t length = sizeof CHECK_ASKED - 1;
        const char *name = strncmp(one->name, CHECK_ASKED, length) == 0 ? one->name + length : NULL;
        done = name == NULL || check_asked(answers, one, name, e);
    }
    return done;
}

/* ---- what it says ---- */

const char *check_page_command(const bundle *answers)
{
    return bundle_text(answers, CHECK_COMMAND);
}

const char *check_page_document(const bundle *answers)
{
    return bundle_text(answers, CHECK_DOCUMENT);
}

double check_page_batch(const bundle *answers)
{
    const tensor *batch = bundle_tensor(answers, CHECK_BATCH);
    return batch == NULL ? 0 : tensor_get(batch, NULL);
}

bool check_page_asked(const bundle *answers, const char *name, const tensor **cells, err *e)
{
    text asked = {0};
    text_add_format(&asked, "%s%s", CHECK_ASKED, name);
    bool done = text_ok(&asked, e);
    *cells = done ? bundle_tensor(answers, text_string(&asked)) : NULL;
    text_free(&asked);
    return done;
}
