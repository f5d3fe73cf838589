#include "base/utf8.h"

#include <stddef.h>
#include <stdbool.h>

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

const char *utf8_find_invalid(const char *text, const char *end)
{
    for (const unsigned char *p = (const unsigned char *)text; p < (const unsigned char *)end;) {
        size_t length =
            *p < 0x80 ? 1 : sequence_length(p, (size_t)((const unsigned char *)end - p));
        if (length == 0)
            return (const char *)p;
        p += length;
    }
    return NULL;
}
