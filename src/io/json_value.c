#include "io/json_value.h"

#include "base/mem.h"
#include "io/json_array.h"
#include "io/json_string.h"

#include <string.h>

bool json_value_refuse(json_reader *r, const char *at, const char *wanted, err *e)
{
    char found[JSON_FOUND];
    place where = json_place(&r->text, at);
    return err_at(e, &where, "expected %s, found %s", wanted, json_found(&r->text, at, found));
}

bool json_value_is_truth(const char *at)
{
    return *at == 't' || *at == 'f';
}

/* The first value that is no list, or NULL where a list is empty. */
static const char *first_element(json_reader *r, const char *at)
{
    while (at != NULL && *at == '[')
        at = json_first(&r->text, at);
    return at;
}

key_kind json_value_kind(const char *element, key_kind kind)
{
    bool is_truth = element != NULL && json_value_is_truth(element) && kind != KEY_MASK;
    return is_truth ? KEY_TRUTHS : kind;
}

/* "x.csv": a text with an ending, in a document's place for a matrix. */
static bool names_file(json_reader *r, const char *at)
{
    const char *end = json_value_end(&r->text, at);
    bool is_document = r->how->document_keys != NULL || r->how->keys != NULL;
    return is_document && *at == '"' && memchr(at, '.', (size_t)(end - at)) != NULL;
}

static bool fail_no_matrix(json_reader *r, key_kind kind, const entry *to, const char *at, err *e)
{
    char found[JSON_FOUND];
    place where = json_place(&r->text, at);
    bool has_name = to->name != NULL && to->name[0] != '\0';
    err_at(e, &where, "expected a matrix%s%s%s, '[', found %s", has_name ? " for \"" : "",
           has_name ? to->name : "", has_name ? "\"" : "", json_found(&r->text, at, found));
    if (kind != KEY_EXPECTED && names_file(r, at))
        return err_remedy(
            e, "a document holds its matrices; options name files, such as --input and --bundle");
    return false;
}

bool json_value_read_matrix(json_reader *r, key_kind kind, const char *at, entry *to, err *e)
{
    if (r->how->takes_truths)
        kind = json_value_kind(first_element(r, at), kind);
    bool is_wide = kind == KEY_EXPECTED && !r->how->types_expected;
    element_rules rules = {.kind = kind,
                           .type = is_wide ? DTYPE_F64 : r->type,
                           .allow_nonfinite = r->how->allow_nonfinite,
                           .most_rank = read_most_rank(r->how, kind)};
    double nonfinite;
    bool is_number = *at == '"' && json_nonfinite_read(&r->text, at, &nonfinite);
    if (*at == '{' || (*at == '"' && !is_number))
        return fail_no_matrix(r, kind, to, at, e);
    to->kind = ENTRY_TENSOR;
    return json_array_read(&r->text, at, &rules, &to->tensor, e);
}

bool json_value_read_number(json_reader *r, const char *at, entry *to, err *e)
{
    to->kind = ENTRY_TENSOR;
    return tensor_new(&to->tensor, DTYPE_F64, 0, NULL, e) &&
           json_number_read(&r->text, at, to->tensor.data, e);
}

bool json_value_read_text(json_reader *r, const char *at, entry *to, err *e)
{
    if (*at != '"')
        return json_value_refuse(r, at, "a text in double quotes", e);
    to->kind = ENTRY_TEXT;
    to->text = json_string_read(&r->text, at, 0, e);
    return to->text != NULL;
}

bool json_value_read_setting(json_reader *r, const char *at, entry *to, err *e)
{
    if (*at == '"')
        return json_value_read_text(r, at, to, e);
    if (*at == '[' || *at == '{')
        return json_value_refuse(r, at, "a number, true, false or a word", e);
    if (!json_value_is_truth(at))
        return json_value_read_number(r, at, to, e);
    to->kind = ENTRY_TEXT;
    to->text = mem_copy_text(at, (size_t)(json_value_end(&r->text, at) - at), e);
    return to->text != NULL;
}

bool json_value_read_numbers(json_reader *r, const char *at, entry *to, err *e)
{
    static const element_rules NUMBERS = {
        .kind = KEY_MATRIX, .type = DTYPE_F64, .most_rank = TENSOR_MAX_INPUT_RANK};
    if (*at != '[')
        return json_value_read_setting(r, at, to, e);
    to->kind = ENTRY_TENSOR;
    return json_first(&r->text, at) == NULL
               ? tensor_new(&to->tensor, DTYPE_F64, 1, &(size_t){0}, e)
               : json_array_read(&r->text, at, &NUMBERS, &to->tensor, e);
}

static bool read_label(json_reader *r, const char *at, text_list *to, err *e)
{
    if (*at != '"')
        return json_value_refuse(r, at, "a text in double quotes", e);
    char *label = json_string_read(&r->text, at, JSON_MAX_LABEL, e);
    bool added = label != NULL && text_list_add(to, label, strlen(label), e);
    mem_free(label);
    return added;
}

bool json_value_read_list(json_reader *r, const char *at, entry *to, err *e)
{
    if (*at != '[')
        return json_value_refuse(r, at, "a list of texts", e);
    to->kind = ENTRY_LIST;
    const char *item = json_first(&r->text, at);
    while (item != NULL) {
        if (!read_label(r, item, &to->list, e))
            return false;
        item = json_next(&r->text, json_value_end(&r->text, item));
    }
    return true;
}

bool json_value_is_texts(json_reader *r, const char *list)
{
    const char *item = json_first(&r->text, list);
    while (item != NULL && *item == '"')
        item = json_next(&r->text, json_value_end(&r->text, item));
    return item == NULL;
}

/* Nothing but texts; but those that stand for numbers are numbers in a result. */
static bool is_list_of_texts(json_reader *r, const char *list)
{
    return json_value_is_texts(r, list) &&
           !(r->how->is_result && json_array_is_numbers(&r->text, list, 1));
}

int json_value_kind_of_list(json_reader *r, const char *list)
{
    const char *element = json_first(&r->text, list);
    if (element == NULL && r->how->keeps_all)
        return KEY_LIST;
    if (element != NULL && *element == '{')
        return KEY_RECORDS;
    if (element != NULL && *element == '"' && is_list_of_texts(r, list))
        return KEY_LIST;
    return (int)json_value_kind(first_element(r, element), r->how->kind);
}
