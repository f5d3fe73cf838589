#include "io/json_scan.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "io/encoding.h"
#include "io/json_lists.h"
#include "io/json_scan_string.h"
#include "io/json_slip.h"
#include "io/json_unique.h"
#include "io/number_read.h"

#include <string.h>

/* Where the scan is, how deep, and the keys of all objects that are open, outermost first. */
typedef struct scan {
    json_text *text;
    const char *at;
    size_t depth;
    json_key *key;
    size_t keys, capacity;
} scan;

/* What is wanted behind a number in a list: no text takes its place. */
static const char A_NUMBER[] = "a number";

static bool fail_expected(scan *s, const char *wanted, err *e)
{
    char found[JSON_FOUND];
    place at = json_place(s->text, s->at);
    err_at(e, &at, "expected %s, found %s", wanted, json_found(s->text, s->at, found));
    bool is_character = s->at >= s->text->end || utf8_read(s->at, s->text->end).bytes > 0;
    const char *remedy = json_slip_between(s->text, s->at);
    if (remedy != NULL)
        return err_remedy(e, "%s", remedy);
    return !is_character && !s->text->is_in_binary && encoding_remedy(e);
}

static bool next_is(const scan *s, char c)
{
    return s->at < s->text->end && *s->at == c;
}

/* Goes over a punctuation mark and the space behind it. */
static void step_over(scan *s)
{
    s->at = json_skip_space(s->text, s->at + 1);
}

/* Behind a comma that nothing follows. */
static bool ends_a_list(const scan *s)
{
    const char *before = s->at;
    while (before > s->text->bytes && strchr(" \t\r\n", before[-1]) != NULL)
        before--;
    return (next_is(s, ']') || next_is(s, '}')) && before > s->text->bytes && before[-1] == ',';
}

/* No value that JSON knows; perhaps one that other programs write. */
static bool fail_value(scan *s, const char *wanted, err *e)
{
    const char *end = json_word_end(s->text, s->at);
    bool may_be_text = s->depth > 0 && strcmp(wanted, A_NUMBER) != 0;
    const char *remedy = json_slip_of_value(s->text, s->at, may_be_text);
    double ignored;
    fail_expected(s, wanted, e);
    if (number_read_nonfinite(s->at, end, &ignored))
        return err_remedy(e, "JSON has no such number; write it as a text: \"%.*s\"",
                          (int)(end - s->at), s->at);
    if (ends_a_list(s))
        return err_remedy(e, "the comma before it is one too many");
    return remedy != NULL && err_remedy(e, "%s", remedy);
}

/* What would have closed it is missing, as far as what stands here tells. */
static bool fail_open(scan *s, const char *begin, const char *what, const char *wanted, err *e)
{
    place at = json_place(s->text, begin);
    fail_expected(s, wanted, e);
    bool is_another = next_is(s, ':') || next_is(s, ']') || next_is(s, '}');
    return is_another && at.line > 0 &&
           err_remedy(e, "the %s that begins in line %zu, column %zu, is still open", what, at.line,
                      at.column);
}

static bool scan_number(scan *s, const char *wanted, err *e)
{
    const char *end = number_end_json(s->at, s->text->end);
    if (end == NULL || json_word_end(s->text, end) != end)
        return fail_value(s, wanted, e);
    size_t length = (size_t)(end - s->at);
    place at;
    if (length > NUMBER_MAX_TEXT) {
        at = json_place(s->text, s->at);
        return err_at(e, &at, "the number has %zu bytes; at most %d are read", length,
                      NUMBER_MAX_TEXT);
    }
    s->at = end;
    return true;
}

static bool scan_word(scan *s, const char *wanted, err *e)
{
    static const char *const WORDS[] = {"true", "false", "null"};
    const char *end = json_word_end(s->text, s->at);
    size_t length = (size_t)(end - s->at);
    for (size_t i = 0; i < 3; i++) {
        if (strlen(WORDS[i]) == length && memcmp(WORDS[i], s->at, length) == 0) {
            s->at = end;
            return true;
        }
    }
    return fail_value(s, wanted, e);
}

static bool scan_string(scan *s, err *e)
{
    const char *end = json_scan_string(s->text, s->at, e);
    if (end == NULL)
        return false;
    s->at = end;
    return true;
}

static bool scan_value(scan *s, const char *wanted, err *e);

static bool is_number(char first)
{
    return first == '-' || (first >= '0' && first <= '9');
}

static bool scan_array(scan *s, err *e)
{
    const char *wanted = "a value or ']'", *begin = s->at;
    step_over(s);
    if (next_is(s, ']'))
        return true;
    for (;;) {
        const char *value = s->at;
        if (!scan_value(s, wanted, e))
            return false;
        wanted = is_number(*value) ? A_NUMBER : "a value";
        s->at = json_skip_space(s->text, s->at);
        if (!next_is(s, ','))
            return next_is(s, ']') ? true : fail_open(s, begin, "list", "',' or ']'", e);
        step_over(s);
    }
}

/* A value that is no list's entry: if it is a matrix, it is read. */
static bool scan_alone(scan *s, err *e)
{
    json_lists *lists = s->text->lists;
    const char *behind = NULL;
    bool may_be_read = lists != NULL && s->depth + TENSOR_MAX_INPUT_RANK <= JSON_MAX_DEPTH;
    if (may_be_read && next_is(s, '[') && !json_lists_add(lists, s->at, s->text->end, &behind, e))
        return false;
    if (behind == NULL)
        return scan_value(s, "a value", e);
    s->at = behind;
    return true;
}

static bool scan_member(scan *s, const char *wanted, err *e)
{
    if (!next_is(s, '"'))
        return fail_value(s, wanted, e);
    json_key *key = mem_grow(s->key, s->keys, &s->capacity, sizeof key[0], e);
    if (key == NULL)
        return false;
    s->key = key;
    json_key *added = &s->key[s->keys++];
    added->at = s->at;
    if (!scan_string(s, e))
        return false;
    added->end = s->at;
    s->at = json_skip_space(s->text, s->at);
    if (!next_is(s, ':'))
        return fail_expected(s, "':' behind the key", e);
    step_over(s);
    return scan_alone(s, e);
}

static bool scan_members(scan *s, err *e)
{
    const char *wanted = "a key in double quotes or '}'", *begin = s->at;
    step_over(s);
    if (next_is(s, '}'))
        return true;
    for (;;) {
        if (!scan_member(s, wanted, e))
            return false;
        wanted = "a key in double quotes";
        s->at = json_skip_space(s->text, s->at);
        if (!next_is(s, ','))
            return next_is(s, '}') ? true : fail_open(s, begin, "object", "',' or '}'", e);
        step_over(s);
    }
}

static bool scan_object(scan *s, err *e)
{
    size_t outer = s->keys;
    if (!scan_members(s, e))
        return false;
    size_t count = s->keys - outer;
    s->keys = outer;
    return count < 2 || json_keys_unique(s->text, s->key + outer, count, e);
}

/* Recursion is bounded: by JSON_MAX_DEPTH calls of this function. */
static bool scan_nested(scan *s, err *e)
{
    place at;
    if (s->depth == JSON_MAX_DEPTH) {
        at = json_place(s->text, s->at);
        return err_at(e, &at, "lists and objects are nested deeper than %d", JSON_MAX_DEPTH);
    }
    s->depth++;
    if (!(*s->at == '[' ? scan_array(s, e) : scan_object(s, e)))
        return false;
    s->depth--;
    s->at++;
    return true;
}

static bool scan_value(scan *s, const char *wanted, err *e)
{
    char first = s->at < s->text->end ? *s->at : '\0';
    if (first == '[' || first == '{')
        return scan_nested(s, e);
    if (first == '"')
        return scan_string(s, e);
    if (is_number(first))
        return scan_number(s, wanted, e);
    return scan_word(s, wanted, e);
}

/* Whether the document that ends here stands on one line, as it has to for JSON Lines. */
static bool is_first_of_lines(const scan *s)
{
    const char *first = json_skip_space(s->text, s->text->bytes);
    const char *newline = memchr(first, '\n', (size_t)(s->at - first));
    return newline == NULL || json_skip_space(s->text, newline) == s->at;
}

static bool scan_text(scan *s, err *e)
{
    json_text *t = s->text;
    size_t length = (size_t)(t->end - t->bytes);
    if (!t->is_in_binary && !encoding_check(t->bytes, length, json_place(t, t->bytes), e))
        return false;
    s->at = json_skip_space(s->text, s->at);
    if (!scan_alone(s, e))
        return false;
    s->at = json_skip_space(s->text, s->at);
    if (s->at == s->text->end)
        return true;
    fail_expected(s, "the end of the text", e);
    if (next_is(s, '{'))
        err_remedy(e, is_first_of_lines(s)
                          ? "one document a line is read with --input-format jsonl"
                          : "jq -c makes of each a line, which --input-format jsonl reads");
    return false;
}

bool json_scan(json_text *t, err *e)
{
    scan s = {.text = t, .at = t->bytes};
    bool passed = scan_text(&s, e);
    mem_free(s.key);
    return passed;
}
