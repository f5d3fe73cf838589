#include "attn/spec/setting.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const double SETTING_MOST_COUNT = 9007199254740992.0;

bool setting_is_number(const entry *setting, double *value)
{
    if (setting->kind != ENTRY_TENSOR || setting->tensor.rank != 0)
        return false;
    *value = tensor_get(&setting->tensor, NULL);
    return true;
}

/* Its text, its number, or how long it is: parts of rope may be lists. */
static void show(const entry *setting, text *out)
{
    char shape[SHAPE_TEXT];
    double number;
    if (setting->kind == ENTRY_TEXT)
        text_add_format(out, "\"%s\"", setting->text);
    else if (setting_is_number(setting, &number))
        text_add_format(out, "%g", number);
    else
        text_add_string(out, tensor_shape_text(&setting->tensor, shape));
}

static bool refuse(const entry *setting, const char *wanted, err *e)
{
    text shown = {0};
    show(setting, &shown);
    if (text_ok(&shown, e))
        err_at(e, &setting->at, "%s is %s, it must be %s", setting->name, text_string(&shown),
               wanted);
    text_free(&shown);
    return false;
}

enum { WANTED_TEXT = 96 }; /* words, and a number as %g has it */

bool setting_number(const entry *setting, double least, double *value, err *e)
{
    char wanted[WANTED_TEXT];
    if (setting_is_number(setting, value) && *value >= least)
        return true;
    snprintf(wanted, sizeof wanted, "a number from %g", least);
    return refuse(setting, wanted, e);
}

const char *setting_up_to(double number)
{
    return number > SETTING_MOST_COUNT ? " to 9007199254740992" : "";
}

bool setting_count(const entry *setting, double least, size_t *value, err *e)
{
    char wanted[WANTED_TEXT];
    double number = 0;
    bool is_number = setting_is_number(setting, &number);
    if (is_number && number >= least && number <= SETTING_MOST_COUNT && number == floor(number)) {
        *value = (size_t)number;
        return true;
    }
    snprintf(wanted, sizeof wanted, "a whole number from %g%s", least, setting_up_to(number));
    return refuse(setting, wanted, e);
}

static void not_a_word(const entry *setting, const named_table *words, const char *or_else, err *e)
{
    text wanted = {0};
    named_list(words, &wanted);
    text_add_string(&wanted, or_else);
    bool is_told = text_ok(&wanted, e);
    if (is_told)
        refuse(setting, text_string(&wanted), e);
    text_free(&wanted);
    if (is_told && setting->kind == ENTRY_TEXT) {
        const named *near = named_nearest(words, setting->text, strlen(setting->text));
        if (near != NULL)
            err_remedy(e, "did you mean \"%s\"?", near->name);
    }
}

const named *setting_word(const entry *setting, const named_table *words, const char *or_else,
                          err *e)
{
    const named *found = NULL;
    if (setting->kind == ENTRY_TEXT)
        found = named_find(words, setting->text, strlen(setting->text));
    if (found == NULL)
        not_a_word(setting, words, or_else, e);
    return found;
}

bool setting_is_out_in(const entry *layout)
{
    return layout != NULL && layout->kind == ENTRY_TEXT && strcmp(layout->text, "out-in") == 0;
}
