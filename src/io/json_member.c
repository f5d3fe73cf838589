#include "io/json_member.h"

#include "io/json_string.h"
#include "io/number_write.h"

#include <math.h>

void json_member_key(text *out, const char *name)
{
    char last = out->length == 0 ? '{' : out->data[out->length - 1];
    text_add_string(out, last == '{' || last == '[' ? "\"" : ", \"");
    text_add_string(out, name);
    text_add_string(out, "\": ");
}

void json_member_text(text *out, const char *name, const char *value)
{
    json_member_key(out, name);
    json_string_write(out, value);
}

void json_member_count(text *out, const char *name, size_t value)
{
    json_member_key(out, name);
    text_add_format(out, "%zu", value);
}

void json_member_truth(text *out, const char *name, bool value)
{
    json_member_key(out, name);
    text_add_string(out, value ? "true" : "false");
}

void json_member_number(text *out, const char *name, double value)
{
    char digits[NUMBER_TEXT];
    json_member_key(out, name);
    if (tensor_is_hole(value))
        text_add_string(out, "null");
    else if (isnan(value))
        text_add_string(out, "\"NaN\"");
    else if (isinf(value))
        text_add_string(out, value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    else
        text_add(out, digits, number_write_f64(value, digits));
}

void json_member_list(text *out, const char *name, const text_list *list)
{
    json_member_key(out, name);
    text_add_string(out, "[");
    for (size_t i = 0; i < list->count; i++) {
        text_add_string(out, i == 0 ? "" : ", ");
        json_string_write(out, list->item[i]);
    }
    text_add_string(out, "]");
}
