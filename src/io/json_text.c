#include "io/json_text.h"

#include "base/utf8.h"
#include "io/json_lists.h"

#include <stdio.h>
#include <string.h>

json_text json_text_of(const char *bytes, size_t length, const char *file, size_t first_line)
{
    json_text t = {.file = file, .line = first_line == 0 ? 1 : first_line};
    t.bytes = bytes + utf8_mark(bytes, length);
    t.end = bytes + length;
    t.line_start = t.seen = t.bytes;
    return t;
}

json_text json_text_within(const char *bytes, size_t length, const char *file, size_t first_byte)
{
    return (json_text){.file = file,
                       .bytes = bytes,
                       .end = bytes + length,
                       .is_in_binary = true,
                       .first_byte = first_byte};
}

/* Counting backwards finds how many lines lie between; the start of the line is looked for from
 * there. */
static void go_back(json_text *t, const char *at)
{
    for (const char *p = at; p < t->seen; p++)
        t->line -= *p == '\n';
    t->line_start = at;
    while (t->line_start > t->bytes && t->line_start[-1] != '\n')
        t->line_start--;
    t->seen = at;
}

place json_place(json_text *t, const char *at)
{
    if (t->is_in_binary)
        return (place){
            .file = t->file, .byte = t->first_byte + (size_t)(at - t->bytes), .has_byte = true};
    if (at < t->seen)
        go_back(t, at);
    while (t->seen < at) {
        const char *newline = memchr(t->seen, '\n', (size_t)(at - t->seen));
        if (newline == NULL)
            break;
        t->line++;
        t->line_start = t->seen = newline + 1;
    }
    t->seen = at;
    return (place){.file = t->file, .line = t->line, .column = (size_t)(at - t->line_start) + 1};
}

const char *json_skip_space(const json_text *t, const char *at)
{
    while (at < t->end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '+' || c == '-' || c == '_';
}

const char *json_word_end(const json_text *t, const char *at)
{
    while (at < t->end && is_word(*at))
        at++;
    return at;
}

/* The end of the string, word or single character at `at`. */
static const char *token_end(const json_text *t, const char *at)
{
    if (is_word(*at))
        return json_word_end(t, at);
    if (*at != '"')
        return at + 1;
    const char *p = at + 1;
    while (p < t->end && *p != '"' && *p != '\n')
        p += *p == '\\' && p + 1 < t->end ? 2 : 1;
    return p < t->end && *p == '"' ? p + 1 : p;
}

const char *json_found(const json_text *t, const char *at, char out[JSON_FOUND])
{
    enum { SHOWN = 40 };
    unsigned char first = at < t->end ? (unsigned char)*at : 0;
    if (at >= t->end)
        snprintf(out, JSON_FOUND, "the end of the text");
    else if (first < 0x20 || first >= 0x7f)
        snprintf(out, JSON_FOUND, "byte 0x%02x", first);
    else {
        size_t length = (size_t)(token_end(t, at) - at), shown = utf8_cut(at, length, SHOWN);
        const char *quote = first == '"' ? "" : "'";
        const char *more = shown < length ? "…" : "";
        snprintf(out, JSON_FOUND, "%s%.*s%s%s", quote, (int)shown, at, more, quote);
    }
    return out;
}

int json_hex4(const char *at, const char *end)
{
    static const char DIGITS[] = "0123456789abcdef";
    int value = 0;
    if (end - at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char lower = at[i] >= 'A' && at[i] <= 'F' ? (char)(at[i] + 32) : at[i];
        const char *digit = memchr(DIGITS, lower, 16);
        if (digit == NULL)
            return -1;
        value = value * 16 + (int)(digit - DIGITS);
    }
    return value;
}

bool json_fail_changed(json_text *t, err *e)
{
    t->has_changed = true;
    err_clear(e);
    return err_at(e, &(place){.file = t->file}, "the file changed while it was read");
}

bool json_check_unchanged(json_text *t, err *e)
{
    return !t->has_changed || (!e->is_memory && json_fail_changed(t, e));
}

/* The text ends where more of it must follow. */
static bool is_over(json_text *t, const char *at)
{
    if (at < t->end)
        return false;
    t->has_changed = true;
    return true;
}

/* Goes over `c` and the spaces around it; NULL where something else stands, or nothing behind. */
static const char *step_over(json_text *t, const char *at, char c)
{
    at = json_skip_space(t, at);
    if (is_over(t, at) || *at != c)
        return NULL;
    at = json_skip_space(t, at + 1);
    return is_over(t, at) ? NULL : at;
}

const char *json_whole(json_text *t)
{
    const char *at = json_skip_space(t, t->bytes);
    return is_over(t, at) ? NULL : at;
}

const char *json_first(json_text *t, const char *at)
{
    const char *first = json_skip_space(t, at + 1);
    return is_over(t, first) || *first == ']' || *first == '}' ? NULL : first;
}

const char *json_next(json_text *t, const char *value_end)
{
    return t->has_changed ? NULL : step_over(t, value_end, ',');
}

/* The end of the string whose opening quote is at `at`. */
static const char *string_end(json_text *t, const char *at)
{
    for (at++; at < t->end && *at != '"';)
        at += *at == '\\' && at + 1 < t->end ? 2 : 1;
    return is_over(t, at) ? t->end : at + 1;
}

const char *json_member(json_text *t, const char *key)
{
    const char *value = step_over(t, string_end(t, key), ':');
    t->has_changed |= value == NULL;
    return value == NULL ? key : value;
}

const char *json_value_end(json_text *t, const char *at)
{
    const json_list *known = *at == '[' ? json_lists_find(t->lists, at) : NULL;
    if (known != NULL)
        return known->end;
    size_t depth = 0;
    do {
        if (is_over(t, at))
            return t->end;
        if (*at == '"')
            at = string_end(t, at);
        else {
            depth += *at == '[' || *at == '{';
            depth -= *at == ']' || *at == '}';
            at = is_word(*at) ? json_word_end(t, at) : at + 1;
        }
    } while (depth > 0);
    return at;
}

const char *json_close(json_text *t, const char *value_end)
{
    const char *bracket = json_skip_space(t, value_end);
    if (is_over(t, bracket))
        return t->end;
    t->has_changed |= *bracket != ']' && *bracket != '}';
    return bracket + 1;
}

/* The code of the four digits at *at, which are gone over; JSON_STRING_END where there are none. */
static uint32_t next_hex4(const char **at, const char *end)
{
    int code = json_hex4(*at, end);
    *at = code < 0 ? end : *at + 4;
    return code < 0 ? JSON_STRING_END : (uint32_t)code;
}

/* The character that an escape stands for; `at` is behind the backslash. */
static uint32_t next_escaped(const char **at, const char *end)
{
    static const char NAMES[] = "bfnrt", MEANT[] = "\b\f\n\r\t";
    if (*at == end)
        return JSON_STRING_END;
    char name = *(*at)++;
    const char *known = memchr(NAMES, name, 5);
    if (name != 'u')
        return known == NULL ? (uint32_t)name : (uint32_t)MEANT[known - NAMES];
    uint32_t code = next_hex4(at, end);
    if (code < 0xd800 || code > 0xdfff)
        return code;
    *at += end - *at < 2 ? 0 : 2; /* the \u: the scan lets whole pairs pass only */
    uint32_t low = next_hex4(at, end);
    return low == JSON_STRING_END ? low : 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
}

uint32_t json_next_character(const char **at, const char *end)
{
    if (*at == end)
        return JSON_STRING_END;
    unsigned char first = (unsigned char)*(*at)++;
    if (first == '"')
        return JSON_STRING_END;
    if (first == '\\')
        return next_escaped(at, end);
    if (first < 0x80)
        return first;
    int more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    uint32_t code = first & (0x3fu >> more);
    while (more-- > 0 && *at < end)
        code = code << 6 | ((unsigned char)*(*at)++ & 0x3f);
    return code;
}

bool json_string_is(const json_text *t, const char *at, const char *word)
{
    if (*at++ != '"')
        return false;
    while (*word != '\0') {
        if (json_next_character(&at, t->end) != (unsigned char)*word++)
            return false;
    }
    return at < t->end && *at == '"';
}
