#include "base/utf8.h"

#include <string.h>

/* The well-formed sequences of two bytes and more: RFC 3629, section 4, as ranges of the first and
 * second byte. All further bytes are 80 to BF. */
static const struct {
    unsigned char first, first_last, second, second_last;
    size_t length;
} SEQUENCES[] = {
    {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
    {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
    {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

static bool in_range(unsigned char byte, unsigned char low, unsigned char high)
{
    return low <= byte && byte <= high;
}

/* The length of the character of several bytes that begins at `p`, or 0 where none does. */
static size_t sequence_length(const unsigned char *p, size_t left)
{
    for (size_t i = 0; i < sizeof SEQUENCES / sizeof SEQUENCES[0]; i++) {
        if (!in_range(p[0], SEQUENCES[i].first, SEQUENCES[i].first_last))
            continue;
        if (left < SEQUENCES[i].length ||
            !in_range(p[1], SEQUENCES[i].second, SEQUENCES[i].second_last))
            return 0;
        for (size_t k = 2; k < SEQUENCES[i].length; k++) {
            if (!in_range(p[k], 0x80, 0xbf))
                return 0;
        }
        return SEQUENCES[i].length;
    }
    return 0;
}

utf8_character utf8_read(const char *at, const char *end)
{
    const unsigned char *p = (const unsigned char *)at;
    size_t left = (size_t)(end - at), bytes = left == 0   ? 0
                                              : *p < 0x80 ? 1
                                                          : sequence_length(p, left);
    if (bytes == 0)
        return (utf8_character){0, 0};
    uint32_t code = bytes == 1 ? p[0] : p[0] & (0xffu >> (bytes + 1)); /* RFC 3629, section 3 */
    for (size_t i = 1; i < bytes; i++)
        code = code << 6 | (p[i] & 0x3fu);
    return (utf8_character){code, bytes};
}

size_t utf8_write(uint32_t code, char *to)
{
    static const unsigned char FIRST[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = bytes; i-- > 1; code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)(FIRST[bytes] | code);
    return bytes;
}

const char *utf8_find_invalid(const char *text, const char *end)
{
    while (text < end) {
        size_t bytes = (unsigned char)*text < 0x80 ? 1 : utf8_read(text, end).bytes;
        if (bytes == 0)
            return text;
        text += bytes;
    }
    return NULL;
}

size_t utf8_mark(const char *text, size_t length)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t bytes = sizeof mark - 1;
    return length >= bytes && memcmp(text, mark, bytes) == 0 ? bytes : 0;
}

void utf8_make_valid(char *text)
{
    const char *bad = text, *end = text + strlen(text);
    while ((bad = utf8_find_invalid(bad, end)) != NULL)
        text[bad - text] = '?';
}

bool utf8_is_order(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

size_t utf8_cut(const char *text, size_t length, size_t most)
{
    enum { LONGEST = 4 };
    size_t cut = most;
    if (length <= most)
        return length;
    while (cut > 0 && most - cut < LONGEST && in_range((unsigned char)text[cut], 0x80, 0xbf))
        cut--;
    return most - cut < LONGEST ? cut : most;
}

void utf8_make_printable(char *text)
{
    char *to = text;
    for (const char *from = text, *end = text + strlen(text); from < end;) {
        utf8_character one = utf8_read(from, end);
        const char *next = from + (one.bytes == 0 ? 1 : one.bytes);
        if (one.bytes == 0 || utf8_is_order(one.code)) {
            *to++ = '?';
            from = next;
        }
        while (from < next)
            *to++ = *from++;
    }
    *to = '\0';
}
