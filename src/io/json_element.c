#include "io/json_element.h"

#include "io/json_string.h"
#include "io/number_read.h"

#include <math.h>

static bool is_number(char first)
{
    return first == '-' || (first >= '0' && first <= '9');
}

/* The end of the number at `at`, which the scan let pass; NULL where there is none any more. */
static const char *number_end(const json_text *t, const char *at)
{
    const char *end = number_end_json(at, t->end);
    return end == NULL || end - at > NUMBER_MAX_TEXT ? NULL : end;
}

static const char *fail_expected(json_text *t, const char *at, const char *wanted, err *e)
{
    char found[JSON_FOUND];
    place where = json_place(t, at);
    err_at(e, &where, "expected %s, found %s", wanted, json_found(t, at, found));
    if (*at == '"' && t->end - at > 1 && is_number(at[1]) &&
        number_end_json(at + 1, t->end) == json_value_end(t, at) - 1)
        err_remedy(e, "write the number without quotes");
    return NULL;
}

static const char *fail_too_large(json_text *t, const char *at, dtype type, err *e)
{
    char found[JSON_FOUND];
    double as_double;
    place where = json_place(t, at);
    const char *end = number_end(t, at);
    err_at(e, &where, "%s is too large for %s, whose largest number is %s",
           json_found(t, at, found), type == DTYPE_F32 ? "float32" : "float64",
           type == DTYPE_F32 ? "3.4028235e38" : "1.7976931348623157e308");
    if (type == DTYPE_F32 && end != NULL && number_read_f64(at, end, &as_double))
        err_remedy(e, "dtype f64 holds it: --dtype f64, or \"dtype\": \"f64\" in the document");
    return NULL;
}

static void store(void *to, dtype type, double value)
{
    if (type == DTYPE_F32)
        *(float *)to = (float)value; /* infinities, NaN and holes: nothing is rounded here */
    else
        *(double *)to = value;
}

static const char *read_number(json_text *t, const char *at, dtype type, void *to, err *e)
{
    const char *end = number_end(t, at);
    if (end == NULL) {
        json_fail_changed(t, e);
        return NULL;
    }
    bool fits = type == DTYPE_F32 ? number_read_f32(at, end, to) : number_read_f64(at, end, to);
    return fits ? end : fail_too_large(t, at, type, e);
}

/* Where the rules allow it, or it is expected. */
static const char *read_nonfinite(json_text *t, const char *at, const element_rules *rules,
                                  void *to, err *e)
{
    const char *end = json_value_end(t, at);
    double value;
    if (!json_nonfinite_read(t, at, &value))
        return fail_expected(t, at, "a number", e);
    bool below = isinf(value) && value < 0;
    if (rules->allow_nonfinite || rules->kind == KEY_EXPECTED ||
        (rules->kind == KEY_BIAS && below)) {
        store(to, rules->type, value);
        return end;
    }
    char found[JSON_FOUND];
    place where = json_place(t, at);
    err_at(e, &where, "%s is not a finite number%s", json_found(t, at, found),
           rules->kind == KEY_BIAS ? ", nor is it \"-inf\"" : "");
    err_remedy(e, "--allow-nonfinite lets it through");
    return NULL;
}

/* Scores to be added to are no places to be looked at. */
static const char *fail_mask(json_text *t, const char *at, bool is_number, err *e)
{
    fail_expected(t, at, "true, false, 1 or 0", e);
    if (is_number || json_string_is(t, at, "-inf"))
        err_remedy(e, "numbers that are added to scores are a \"bias\"");
    return NULL;
}

static const char *read_mask_number(json_text *t, const char *at, unsigned char *to, err *e)
{
    double value;
    const char *end = is_number(*at) ? number_end(t, at) : NULL;
    if (end == NULL || !number_read_f64(at, end, &value) || (value != 0 && value != 1))
        return fail_mask(t, at, end != NULL, e);
    *to = value == 1;
    return end;
}

static const char *fail_truth(json_text *t, const char *at, err *e)
{
    fail_expected(t, at, "true or false", e);
    if (*at == 'n')
        err_remedy(e, "holes (null) are for matrices of numbers");
    if (is_number(*at))
        err_remedy(e, "a matrix is of numbers, or of true and false alone");
    return NULL;
}

static const char *read_truth(json_text *t, const char *at, key_kind kind, unsigned char *to,
                              err *e)
{
    if (*at == 't' || *at == 'f') {
        *to = *at == 't';
        return json_value_end(t, at);
    }
    return kind == KEY_MASK ? read_mask_number(t, at, to, e) : fail_truth(t, at, e);
}

const char *json_element_read(json_text *t, const char *at, const element_rules *rules, void *to,
                              err *e)
{
    if (rules->type == DTYPE_BOOL)
        return read_truth(t, at, rules->kind, to, e);
    if (is_number(*at))
        return read_number(t, at, rules->type, to, e);
    if (*at == '"')
        return read_nonfinite(t, at, rules, to, e);
    if (*at == 'n' && rules->kind == KEY_EXPECTED) {
        store(to, rules->type, tensor_hole());
        return json_value_end(t, at);
    }
    return fail_expected(t, at, "a number", e);
}

bool json_number_read(json_text *t, const char *at, double *value, err *e)
{
    if (!is_number(*at))
        return fail_expected(t, at, "a number", e) != NULL;
    return read_number(t, at, DTYPE_F64, value, e) != NULL;
}
