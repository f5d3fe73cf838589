#include "io/json_text.h"

#include "io/json_lists.h"

#include <stdio.h>
#include <string.h>

json_text json_text_of(const char *bytes, size_t length, const char *file, size_t first_line)
{
    json_text t = {.file = file, .line = first_line == 0 ? 1 : first_line};
    bool has_mark = length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0;
    t.bytes = bytes + (has_mark ? 3 : 0);
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
        size_t length = (size_t)(token_end(t, at) - at), shown = length;
        if (length > SHOWN)
            for (shown = SHOWN; shown > 0 && ((unsigned char)at[shown] & 0xc0) == 0x80;)
                shown--; /* no character is cut in two */
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

const char *json_first(const json_text *t, const char *at)
{
    const char *first = json_skip_space(t, at + 1);
    return *first == ']' || *first == '}' ? NULL : first;
}

const char *json_next(const json_text *t, const char *value_end)
{
    const char *comma = json_skip_space(t, value_end);
    return *comma == ',' ? json_skip_space(t, comma + 1) : NULL;
}

static const char *string_end(const char *at)
{
    for (at++; *at != '"'; at++)
        at += *at == '\\';
    return at + 1;
}

const char *json_member(const json_text *t, const char *key)
{
    const char *colon = json_skip_space(t, string_end(key));
    return json_skip_space(t, colon + 1);
}

const char *json_value_end(const json_text *t, const char *at)
{
    const json_list *known = *at == '[' ? json_lists_find(t->lists, at) : NULL;
    if (known != NULL)
        return known->end;
    size_t depth = 0;
    do {
        if (*at == '"')
            at = string_end(at);
        else {
            depth += *at == '[' || *at == '{';
            depth -= *at == ']' || *at == '}';
            at = is_word(*at) ? json_word_end(t, at) : at + 1;
        }
    } while (depth > 0);
    return at;
}

/* The character that an escape stands for; `at` is behind the backslash. */
static uint32_t next_escaped(const char **at)
{
    static const char NAMES[] = "bfnrt", MEANT[] = "\b\f\n\r\t";
    char name = *(*at)++;
    const char *known = memchr(NAMES, name, 5);
    if (name != 'u')
        return known == NULL ? (uint32_t)name : (uint32_t)MEANT[known - NAMES];
    uint32_t code = (uint32_t)json_hex4(*at, *at + 4);
    *at += 4;
    if (code < 0xd800 || code > 0xdfff)
        return code;
    uint32_t low = (uint32_t)json_hex4(*at + 2, *at + 6); /* the scan lets whole pairs pass only */
    *at += 6;
    return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
}

uint32_t json_next_character(const char **at)
{
    unsigned char first = (unsigned char)*(*at)++;
    if (first == '"')
        return JSON_STRING_END;
    if (first == '\\')
        return next_escaped(at);
    if (first < 0x80)
        return first;
    int more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    uint32_t code = first & (0x3fu >> more);
    while (more-- > 0)
        code = code << 6 | ((unsigned char)*(*at)++ & 0x3f);
    return code;
}

bool json_string_is(const char *at, const char *word)
{
    if (*at++ != '"')
        return false;
    while (*word != '\0') {
        if (json_next_character(&at) != (unsigned char)*word++)
            return false;
    }
    return *at == '"';
}
