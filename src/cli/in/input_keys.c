#include "cli/in/input_keys.h"

#include "attn/spec/setting.h"
#include "attn/spec/words.h"

#include <string.h>

static const given_key *find_given(const options *o, const char *name)
{
    for (size_t i = 0; i < o->given_count; i++) {
        if (strcmp(o->given[i].row->key, name) == 0)
            return &o->given[i];
    }
    return NULL;
}

bool input_keys_has_input(const options *o)
{
    static const char *const INPUTS[] = {"x", "xk", "xv", "q", "k", "v"};
    for (size_t i = 0; i < sizeof INPUTS / sizeof INPUTS[0]; i++) {
        const given_key *found = find_given(o, INPUTS[i]);
        if (found != NULL && found->value != NULL)
            return true;
    }
    return false;
}

const char *input_keys_value(const options *o, const char *key_name)
{
    const given_key *found = find_given(o, key_name);
    return found == NULL ? NULL : found->value;
}

bool input_keys_decides_type(const options *o, dtype *type)
{
    const given_key *found = find_given(o, "dtype");
    if (found == NULL || found->value == NULL)
        return false;
    *type = strcmp(found->value, "f64") == 0 ? DTYPE_F64 : DTYPE_F32;
    return true;
}

bool input_keys_check_type(const options *o, err *e)
{
    static const char NAME[] = "dtype";
    entry said = {.name = (char *)NAME, .kind = ENTRY_TEXT, .at = place_of_option(NAME)};
    said.text = (char *)input_keys_value(o, NAME);
    return said.text == NULL || setting_word(&said, &DTYPE_WORDS, "", e) != NULL;
}

static bool is_standard_input(const given_key *one)
{
    const char *name = one->row->kind == OPTION_KEY_FILE   ? "-"
                       : one->row->kind == OPTION_KEY_LIST ? "@-"
                                                           : NULL;
    return name != NULL && one->value != NULL && strcmp(one->value, name) == 0;
}

bool input_keys_check_standard_input(const options *o, const char *const *file, size_t files,
                                     err *e)
{
    size_t times = o->bundle != NULL && strcmp(o->bundle, "-") == 0;
    for (size_t i = 0; i < files; i++)
        times += strcmp(file[i], "-") == 0;
    for (size_t i = 0; i < o->given_count; i++)
        times += is_standard_input(&o->given[i]);
    return times <= 1 ||
           err_set(e, "standard input is named %zu times, it can be read once", times);
}
