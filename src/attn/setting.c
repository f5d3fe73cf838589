#include "attn/setting.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

const double SETTING_MOST_COUNT = 9007199254740992.0;

bool setting_is_number(const entry *setting, double *value)
{
    if (setting->kind != ENTRY_TENSOR || setting->tensor.rank != 0)
        return false;
    *value = tensor_get(&setting->tensor, NULL);
    return true;
}

bool setting_number(const entry *setting, double least, double *value, err *e)
{
    if (!setting_is_number(setting, value))
        return err_at(e, &setting->at, "%s is \"%s\", it must be a number from %g", setting->name,
                      setting->text, least);
    return *value >= least || err_at(e, &setting->at, "%s is %g, it must be a number from %g",
                                     setting->name, *value, least);
}

const char *setting_up_to(double number)
{
    return number > SETTING_MOST_COUNT ? " to 9007199254740992" : "";
}

bool setting_count(const entry *setting, double least, size_t *value, err *e)
{
    double number;
    if (!setting_is_number(setting, &number))
        return err_at(e, &setting->at, "%s is \"%s\", it must be a whole number from %g",
                      setting->name, setting->text, least);
    if (!(number >= least && number <= SETTING_MOST_COUNT && number == floor(number)))
        return err_at(e, &setting->at, "%s is %g, it must be a whole number from %g%s",
                      setting->name, number, least, setting_up_to(number));
    *value = (size_t)number;
    return true;
}

static void not_a_word(const entry *setting, const named_table *words, const char *or_else, err *e)
{
    text names = {0};
    double number;
    named_list(words, &names);
    if (setting_is_number(setting, &number))
        err_at(e, &setting->at, "%s is %g, it must be %s%s", setting->name, number,
               text_string(&names), or_else);
    else
        err_at(e, &setting->at, "%s is \"%s\", it must be %s%s", setting->name, setting->text,
               text_string(&names), or_else);
    text_free(&names);
    if (setting->kind == ENTRY_TEXT) {
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
