#include "io/json_scan_string.h"

#include "base/utf8.h"
#include "io/encoding.h"

#include <string.h>

static const char *fail_found(json_text *t, const char *at, const char *wanted, err *e)
{
    char found[JSON_FOUND];
    place where = json_place(t, at);
    err_at(e, &where, "expected %s, found %s", wanted, json_found(t, at, found));
    return NULL;
}

/* Four digits behind \u. Half of a surrogate pair is refused, which RFC 8259 leaves open: UTF-8
 * has no spelling for it, so such a name could be neither printed nor written back, and cJSON
 * refuses it too. */
static const char *scan_unicode(json_text *t, const char *at, err *e)
{
    const char *escape = at - 2;
    int code = json_hex4(at, t->end), low = -1;
    if (code < 0)
        return fail_found(t, at, "four hexadecimal digits behind \\u", e);
    at += 4;
    if (code < 0xd800 || code > 0xdfff)
        return at;
    if (code < 0xdc00 && t->end - at >= 6 && at[0] == '\\' && at[1] == 'u')
        low = json_hex4(at + 2, t->end);
    if (low >= 0xdc00 && low <= 0xdfff)
        return at + 6;
    place where = json_place(t, escape);
    err_at(e, &where, "%.6s is half of a surrogate pair, which is no character", escape);
    return NULL;
}

static const char *scan_escape(json_text *t, const char *at, err *e)
{
    static const char ESCAPED[] = {'"', '\\', '/', 'b', 'f', 'n', 'r', 't', 'u'};
    at++;
    if (at >= t->end || memchr(ESCAPED, *at, sizeof ESCAPED) == NULL)
        return fail_found(t, at, "one of \" \\ / b f n r t u behind a backslash", e);
    return *at == 'u' ? scan_unicode(t, at + 1, e) : at + 1;
}

/* The byte at `at` can't stand in a string, or there is none. */
static const char *fail_in_string(json_text *t, const char *begin, const char *at, err *e)
{
    size_t column = json_place(t, begin).column;
    place where = json_place(t, at);
    bool ended = at >= t->end;
    if (ended || *at == '\n' || *at == '\r')
        err_at(e, &where, "the string that begins in column %zu is not closed at the end of the %s",
               column, ended ? "text" : "line");
    else if ((unsigned char)*at >= 0x80) {
        err_at(e, &where, "byte 0x%02x in a string is not UTF-8", (unsigned char)*at);
        if (!t->is_in_binary)
            encoding_remedy(e);
    } else {
        err_at(e, &where, "control character 0x%02x in a string", (unsigned char)*at);
        err_remedy(e, "write it as \\u%04x", (unsigned char)*at);
    }
    return NULL;
}

const char *json_scan_string(json_text *t, const char *at, err *e)
{
    const char *begin = at++;
    while (at < t->end && *at != '"') {
        unsigned char c = (unsigned char)*at;
        if (c == '\\') {
            at = scan_escape(t, at, e);
            if (at == NULL)
                return NULL;
            continue;
        }
        size_t length = c < 0x80 ? c >= 0x20 : utf8_read(at, t->end).bytes;
        if (length == 0)
            break;
        at += length;
    }
    return at < t->end && *at == '"' ? at + 1 : fail_in_string(t, begin, at, e);
}
