#include "io/json_scan.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "io/json_matrix.h"
#include "io/number_read.h"
#include "io/slips.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- places, and what is found there ---- */

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

place json_place(json_text *t, const char *at)
{
    if (t->is_in_binary)
        return (place){
            .file = t->file, .byte = t->first_byte + (size_t)(at - t->bytes), .has_byte = true};
    /* Counting backwards finds how many lines lie between; the start of the line is looked for from
     * there. */
    if (at < t->seen) {
        for (const char *p = at; p < t->seen; p++)
            t->line -= *p == '\n';
        t->line_start = at;
        while (t->line_start > t->bytes && t->line_start[-1] != '\n')
            t->line_start--;
        t->seen = at;
    }
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

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '+' || c == '-' || c == '_';
}

const char *json_word_end(const char *at, const char *end)
{
    while (at < end && is_word(*at))
        at++;
    return at;
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
        /* A string, a word or a single character. */
        const char *stop = is_word(*at) ? json_word_end(at, t->end) : at + 1;
        while (first == '"' && stop < t->end && *stop != '"' && *stop != '\n')
            stop += *stop == '\\' && stop + 1 < t->end ? 2 : 1;
        stop += first == '"' && stop < t->end && *stop == '"';
        size_t length = (size_t)(stop - at), shown = utf8_cut(at, length, SHOWN);
        const char *quote = first == '"' ? "" : "'";
        const char *more = shown < length ? "…" : "";
        snprintf(out, JSON_FOUND, "%s%.*s%s%s", quote, (int)shown, at, more, quote);
    }
    return out;
}

bool json_expected(json_text *t, const char *at, const char *wanted, err *e)
{
    char found[JSON_FOUND];
    place where = json_place(t, at);
    return err_at(e, &where, "expected %s, found %s", wanted, json_found(t, at, found));
}

bool json_begins_number(char first)
{
    return first == '-' || (first >= '0' && first <= '9');
}

bool json_take_room(json_text *t, const char *at, size_t bytes, err *e)
{
    enum { FREE = 3 << 20, TIMES = 30 };
    size_t length = (size_t)(t->end - t->bytes);
    t->names += bytes;
    if (t->names <= FREE || (t->names - FREE) / TIMES <= length)
        return true;
    place where = json_place(t, at);
    err_at(e, &where, "too many names and objects for %zu bytes of text: they take %zu MB here",
           length, t->names >> 20);
    return err_remedy(e, "numbers in lists take a few bytes each, and need no names");
}

/* ---- strings ---- */

/* Values beyond all code points: for the closing quote, and for bytes that no string may hold. */
enum { STRING_END = 0x110000, NO_CHARACTER };

/* The value of four hexadecimal digits, or -1. */
static int hex4(const char *at, const char *end)
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

/* The character of the escape at *at. Half of a surrogate pair is refused (RFC 8259 leaves that
 * open): UTF-8 can't spell it, so such a name could be neither printed nor written back. */
static uint32_t next_escaped(const char **at, const char *end)
{
    static const char NAMES[] = "\"\\/bfnrt", MEANT[] = "\"\\/\b\f\n\r\t";
    const char *p = *at + 1, *known = p == end ? NULL : memchr(NAMES, *p, sizeof NAMES - 1);
    int code = p < end && *p == 'u' ? hex4(p + 1, end) : -1, low = -1;
    if (known != NULL) {
        *at = p + 1;
        return (uint32_t)MEANT[known - NAMES];
    }
    if (code < 0)
        return NO_CHARACTER;
    p += 5;
    if (code >= 0xd800 && code <= 0xdfff) {
        if (code < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u')
            low = hex4(p + 2, end);
        if (low < 0xdc00 || low > 0xdfff)
            return NO_CHARACTER;
        p += 6;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    *at = p;
    return (uint32_t)code;
}

/* The next character of a string, escapes resolved; *at moves past it. STRING_END at the closing
 * quote; NO_CHARACTER where neither stands, and *at stays. */
static uint32_t next_character(const char **at, const char *end)
{
    if (*at >= end)
        return NO_CHARACTER;
    unsigned char first = (unsigned char)**at;
    if (first == '\\')
        return next_escaped(at, end);
    if (first < ' ')
        return NO_CHARACTER;
    utf8_character one = utf8_read(*at, end);
    *at += one.bytes;
    return one.bytes == 0 ? NO_CHARACTER : first == '"' ? STRING_END : one.code;
}

/* Refuses the byte at `at`, or the end of the text, inside the string that begins at `begin`. */
static bool fail_in_string(json_text *t, const char *begin, const char *at, err *e)
{
    bool ended = at >= t->end, is_escape = !ended && *at == '\\';
    if (is_escape && (at + 1 >= t->end || at[1] != 'u'))
        return json_expected(t, at + 1, "one of \" \\ / b f n r t u after a backslash", e);
    if (is_escape && hex4(at + 2, t->end) < 0)
        return json_expected(t, at + 2, "four hexadecimal digits after \\u", e);
    size_t column = json_place(t, begin).column;
    place where = json_place(t, at);
    if (is_escape)
        return err_at(e, &where, "%.6s is half of a surrogate pair, which is not a character", at);
    if (ended || *at == '\n' || *at == '\r')
        return err_at(e, &where,
                      "the string that begins in column %zu is not closed at the end of the %s",
                      column, ended ? "text" : "line");
    if ((unsigned char)*at >= 0x80) {
        err_at(e, &where, "byte 0x%02x in a string is not UTF-8", (unsigned char)*at);
        return !t->is_in_binary && encoding_remedy(e);
    }
    err_at(e, &where, "control character 0x%02x in a string", (unsigned char)*at);
    return err_remedy(e, "write it as \\u%04x", (unsigned char)*at);
}

/* Passes the part of the string at `at` that it has in common with *word. Returns where the string
 * goes on; *word becomes the rest of the word. */
static const char *skip_common(const json_text *t, const char *at, const char **word)
{
    const char *end = *word + strlen(*word), *next = ++at;
    for (utf8_character wanted = utf8_read(*word, end);
         wanted.bytes > 0 && next_character(&next, t->end) == wanted.code; at = next) {
        *word += wanted.bytes;
        wanted = utf8_read(*word, end);
    }
    return at;
}

bool json_string_begins(const json_text *t, const char *at, const char *word)
{
    if (*at == '"')
        skip_common(t, at, &word);
    return *word == '\0';
}

bool json_string_is(const json_text *t, const char *at, const char *word)
{
    const char *end = *at == '"' ? skip_common(t, at, &word) : at;
    return *word == '\0' && *end == '"'; /* a NUL, or more of the file, follows the text */
}

size_t json_string_resolve(const char *at, const char *end, char *to, bool *has_nul)
{
    char *after = to;
    uint32_t c;
    for (at++; (c = next_character(&at, end)) < STRING_END;) {
        *has_nul = *has_nul || c == 0;
        after += utf8_write(c == 0 ? 0xfffd : c, after);
    }
    return (size_t)(after - to);
}

char *json_string_read(json_text *t, const char *at, size_t most, err *e)
{
    const char *end = json_value_end(t, at);
    char *string = mem_alloc((size_t)(end - at) + 1, 1, e);
    if (string == NULL)
        return NULL;
    bool has_nul = false;
    size_t length = json_string_resolve(at, end, string, &has_nul);
    string[length] = '\0';
    if (!has_nul && (most == 0 || length <= most))
        return string;
    mem_free(string);
    place where = json_place(t, at);
    if (has_nul)
        err_at(e, &where, "the string holds the character \\u0000, which no text or name may");
    else
        err_at(e, &where, "a label of %zu bytes; at most %zu are read", length, most);
    return NULL;
}

bool json_nonfinite_read(json_text *t, const char *at, double *value)
{
    const char *end = json_value_end(t, at);
    return end - at > 2 && number_read_nonfinite(at + 1, end - 1, value);
}

/* ---- no key twice ---- */

/* RFC 8259 lets each reader choose which of two values counts, so the same file would mean
 * different things to different programs. */
typedef struct key_string {
    const char *at, *end; /* of the string, with its quotes */
} key_string;

/* Compares characters, not bytes: "a" and "\u0061" are one name. */
static int compare_names(const key_string *first, const key_string *second)
{
    const char *a = first->at + 1, *b = second->at + 1;
    uint32_t left, right;
    do {
        left = next_character(&a, first->end);
        right = next_character(&b, second->end);
    } while (left == right && left < STRING_END);
    return (left > right) - (left < right);
}

/* By name, then by place. */
static int compare_keys(const void *first, const void *second)
{
    const key_string *a = first, *b = second;
    int order = compare_names(a, b);
    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

/* If several keys are given twice, the error is at the repetition that comes first. Any keys take
 * n·log n comparisons. */
static bool check_unique(json_text *t, key_string *one, size_t count, err *e)
{
    const char *once = NULL, *again = NULL;
    qsort(one, count, sizeof one[0], compare_keys);
    for (size_t i = 1; i < count; i++) {
        bool earlier = again == NULL || one[i].at < again;
        if (earlier && compare_names(&one[i - 1], &one[i]) == 0) {
            once = one[i - 1].at;
            again = one[i].at;
        }
    }
    if (again == NULL)
        return true;
    char name[JSON_FOUND];
    place first = json_place(t, once), at = json_place(t, again);
    return err_at(e, &at, "key %s is given twice, first %s %zu", json_found(t, again, name),
                  first.has_byte ? "at byte" : "in line", first.has_byte ? first.byte : first.line);
}

/* ---- the scan ---- */

/* Where the scan is, how deep, and the keys of all objects that are open, outermost first. */
typedef struct scan {
    json_text *text;
    const json_visitor *visitor;
    bool has_passed; /* it was scanned before: keys are not compared again */
    const char *at;
    size_t depth;
    key_string *open_key;
    size_t keys, capacity;
} scan;

/* What is wanted after a number in a list, where a text would not do. */
static const char A_NUMBER[] = "a number";

static bool fail_expected(scan *s, const char *wanted, err *e)
{
    json_expected(s->text, s->at, wanted, e);
    bool is_character = s->at >= s->text->end || utf8_read(s->at, s->text->end).bytes > 0;
    const char *remedy = slip_remedy(SLIP_JSON_BETWEEN, s->text->bytes, s->at, s->text->end);
    if (remedy != NULL)
        return err_remedy(e, "%s", remedy);
    return !is_character && !s->text->is_in_binary && encoding_remedy(e);
}

static bool next_is(const scan *s, char c)
{
    return s->at < s->text->end && *s->at == c;
}

/* Passes a punctuation mark and the space after it. */
static void step_over(scan *s)
{
    s->at = json_space_end(s->at + 1, s->text->end);
}

/* Refuses what is not a JSON value; it may be one that other programs write. */
static bool fail_value(scan *s, const char *wanted, err *e)
{
    const char *begin = s->text->bytes, *end = json_word_end(s->at, s->text->end);
    bool may_be_text = s->depth > 0 && strcmp(wanted, A_NUMBER) != 0;
    const char *remedy = slip_remedy(SLIP_JSON_VALUE, begin, s->at, s->text->end);
    if (remedy == NULL && may_be_text)
        remedy = slip_remedy(SLIP_JSON_TEXT, begin, s->at, s->text->end);
    double ignored;
    fail_expected(s, wanted, e);
    if (number_read_nonfinite(s->at, end, &ignored))
        return err_remedy(e, "JSON has no such number; write it as a text: \"%.*s\"",
                          (int)(end - s->at), s->at);
    /* A comma may stand before it that is one too many. */
    const char *before = s->at;
    while (before > s->text->bytes && strchr(" \t\r\n", before[-1]) != NULL)
        before--;
    if ((next_is(s, ']') || next_is(s, '}')) && before > s->text->bytes && before[-1] == ',')
        return err_remedy(e, "the comma before it is one too many");
    return remedy != NULL && err_remedy(e, "%s", remedy);
}

/* Refuses what stands here instead of a closing bracket, which is probably missing. */
static bool fail_open(scan *s, const char *begin, const char *what, const char *wanted, err *e)
{
    place at = json_place(s->text, begin);
    fail_expected(s, wanted, e);
    bool is_another = next_is(s, ':') || next_is(s, ']') || next_is(s, '}');
    return is_another && at.line > 0 &&
           err_remedy(e, "the %s that begins in line %zu, column %zu, is still open", what, at.line,
                      at.column);
}

static bool scan_string(scan *s, err *e)
{
    const char *at = s->at + 1, *end = s->text->end;
    uint32_t c = 0;
    while (c < STRING_END) {
        while (at < end && json_is_plain(*at))
            at++;
        c = next_character(&at, end);
    }
    if (c == NO_CHARACTER)
        return fail_in_string(s->text, s->at, at, e);
    s->at = at;
    return true;
}

static bool scan_value(scan *s, bool in_list, const char *wanted, err *e);

/* The entries of the list or object that opens here, up to the bracket that closes it. */
static bool scan_entries(scan *s, size_t *count, err *e)
{
    const char *begin = s->at, *wanted;
    const json_visitor *v = s->visitor;
    bool is_list = *begin == '[';
    char bracket = is_list ? ']' : '}';
    wanted = is_list ? "a value or ']'" : "a key in double quotes or '}'";
    step_over(s);
    if (next_is(s, bracket))
        return true;
    for (;; step_over(s)) {
        const char *item = s->at;
        if (!is_list) {
            if (!next_is(s, '"'))
                return fail_value(s, wanted, e);
            if (!scan_string(s, e))
                return false;
            if (!s->has_passed) {
                key_string *larger =
                    mem_grow(s->open_key, s->keys, &s->capacity, sizeof larger[0], e);
                if (larger == NULL)
                    return false;
                s->open_key = larger;
                s->open_key[s->keys++] = (key_string){item, s->at};
            }
            if (v->key != NULL && !v->key(v->to, item, s->at, s->depth, e))
                return false;
            s->at = json_space_end(s->at, s->text->end);
            if (!next_is(s, ':'))
                return fail_expected(s, "':' after the key", e);
            step_over(s);
        }
        if (!scan_value(s, is_list, is_list ? wanted : "a value", e))
            return false;
        ++*count;
        wanted = !is_list                    ? "a key in double quotes"
                 : json_begins_number(*item) ? A_NUMBER
                                             : "a value";
        s->at = json_space_end(s->at, s->text->end);
        if (next_is(s, bracket))
            return true;
        if (!next_is(s, ','))
            return is_list ? fail_open(s, begin, "list", "',' or ']'", e)
                           : fail_open(s, begin, "object", "',' or '}'", e);
    }
}

/* Recursion is bounded: by JSON_MAX_DEPTH calls of this function. */
static bool scan_nested(scan *s, bool in_list, err *e)
{
    const json_visitor *v = s->visitor;
    const char *after = NULL;
    size_t count = 0, outer = s->keys;
    if (s->depth == JSON_MAX_DEPTH) {
        place at = json_place(s->text, s->at);
        return err_at(e, &at, "lists and objects are nested deeper than %d", JSON_MAX_DEPTH);
    }
    if (v->open != NULL && !v->open(v->to, s->at, s->depth, in_list, &after, e))
        return false;
    if (after != NULL) {
        s->at = after;
        return true;
    }
    s->depth++;
    if (!scan_entries(s, &count, e))
        return false;
    if (s->keys - outer > 1 && !check_unique(s->text, s->open_key + outer, s->keys - outer, e))
        return false;
    s->keys = outer;
    s->depth--;
    s->at++;
    return v->close == NULL || v->close(v->to, s->at - 1, s->depth, count, e);
}

static bool scan_value(scan *s, bool in_list, const char *wanted, err *e)
{
    static const char *const WORDS[] = {"true", "false", "null"};
    const json_visitor *v = s->visitor;
    const char *at = s->at, *end = s->text->end;
    char first = at < end ? *at : '\0';
    if (first == '[' || first == '{')
        return scan_nested(s, in_list, e);
    if (first == '"') {
        if (!scan_string(s, e))
            return false;
    } else if (json_begins_number(first)) {
        s->at = number_end_json(at, end);
        if (s->at == NULL || json_word_end(s->at, end) != s->at) {
            s->at = at;
            return fail_value(s, wanted, e);
        }
        if (s->at - at > NUMBER_MAX_TEXT) {
            place where = json_place(s->text, at);
            return err_at(e, &where, "the number has %zu bytes; at most %d are read",
                          (size_t)(s->at - at), NUMBER_MAX_TEXT);
        }
    } else {
        size_t length = (size_t)(json_word_end(at, end) - at), i = 0;
        while (i < 3 && (strlen(WORDS[i]) != length || memcmp(WORDS[i], at, length) != 0))
            i++;
        if (i == 3)
            return fail_value(s, wanted, e);
        s->at = at + length;
    }
    return v->value == NULL || v->value(v->to, at, s->at, s->depth, e);
}

static const json_visitor NOBODY = {.to = NULL};

bool json_scan(json_text *t, const json_visitor *visitor, err *e)
{
    size_t length = (size_t)(t->end - t->bytes);
    if (!t->is_in_binary && !encoding_check(t->bytes, length, json_place(t, t->bytes), e))
        return false;
    scan s = {.text = t,
              .visitor = visitor == NULL ? &NOBODY : visitor,
              .at = json_space_end(t->bytes, t->end)};
    bool has_passed = scan_value(&s, false, "a value", e);
    mem_free(s.open_key);
    if (!has_passed)
        return false;
    s.at = json_space_end(s.at, t->end);
    if (s.at == t->end)
        return true;
    fail_expected(&s, "the end of the text", e);
    if (!next_is(&s, '{'))
        return false;
    /* Whether the document that ends here stands on one line, as it has to for JSON Lines. */
    const char *first = json_space_end(t->bytes, t->end);
    const char *newline = memchr(first, '\n', (size_t)(s.at - first));
    bool is_line = newline == NULL || json_space_end(newline, t->end) == s.at;
    return err_remedy(e, is_line ? "one document a line is read with --input-format jsonl"
                                 : "jq -c makes of each a line, which --input-format jsonl reads");
}

/* ---- a text that has passed ---- */

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

/* Whether the text ends here, although more must follow: then it changed. */
static bool is_over(json_text *t, const char *at)
{
    if (at < t->end)
        return false;
    t->has_changed = true;
    return true;
}

/* Passes `c` and the spaces around it; NULL if something else stands here, or nothing follows. */
static const char *step_to(json_text *t, const char *at, char c)
{
    at = json_space_end(at, t->end);
    if (is_over(t, at) || *at != c)
        return NULL;
    at = json_space_end(at + 1, t->end);
    return is_over(t, at) ? NULL : at;
}

const char *json_whole(json_text *t)
{
    const char *at = json_space_end(t->bytes, t->end);
    return is_over(t, at) ? NULL : at;
}

const char *json_first(json_text *t, const char *at)
{
    const char *first = json_space_end(at + 1, t->end);
    return is_over(t, first) || *first == ']' || *first == '}' ? NULL : first;
}

const char *json_next(json_text *t, const char *value)
{
    const char *end = json_value_end(t, value);
    return t->has_changed ? NULL : step_to(t, end, ',');
}

const char *json_value_end(json_text *t, const char *at)
{
    scan s = {
        .text = t, .visitor = &NOBODY, .has_passed = true, .at = json_lists_end(t->lists, at)};
    err unsaid;
    if (s.at != NULL)
        return s.at;
    err_clear(&unsaid);
    s.at = at;
    if (scan_value(&s, false, "a value", &unsaid))
        return s.at;
    t->has_changed = true;
    return t->end;
}

const char *json_member(json_text *t, const char *key_at)
{
    const char *value = step_to(t, json_value_end(t, key_at), ':');
    t->has_changed |= value == NULL;
    return value == NULL ? key_at : value;
}

bool json_visit(json_text *t, const char *at, const json_visitor *visitor, err *e)
{
    scan s = {.text = t, .visitor = visitor, .has_passed = true, .at = at};
    return scan_value(&s, false, "a value", e);
}

const char *json_way_find(json_text *t, const char *at, const char *way)
{
    if (*at == '[') {
        size_t digits = strspn(way, "0123456789");
        if (digits == 0 || (digits > 1 && *way == '0') ||
            (way[digits] != '\0' && way[digits] != '.'))
            return NULL;
        unsigned long long left = strtoull(way, NULL, 10);
        const char *item = json_first(t, at);
        for (; item != NULL && left > 0; left--)
            item = json_next(t, item);
        return item == NULL || way[digits] == '\0' ? item
                                                   : json_way_find(t, item, way + digits + 1);
    }
    const char *inside = NULL, *value;
    const char *name = *at == '{' ? json_first(t, at) : NULL;
    for (; name != NULL; name = json_next(t, value)) {
        const char *rest = way, *end = skip_common(t, name, &rest);
        bool is_on_way = (*rest == '\0' || *rest == '.') && *end == '"';
        value = json_member(t, name);
        if (is_on_way && *rest == '\0')
            return value;
        if (is_on_way && inside == NULL)
            inside = json_way_find(t, value, rest + 1);
    }
    return inside;
}
