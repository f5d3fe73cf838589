#include "io/json_slip.h"

#include <string.h>

typedef struct slip {
    const char *found, *remedy;
} slip;

static const char POINT[] = "JSON writes a number with a digit on each side of the point: 0.5, 1.0";
static const char QUOTES[] = "JSON puts texts in double quotes";
static const char COMMENT[] = "JSON has no comments; a key that begins with _ may hold a remark";

static const slip VALUES[] = {
    {"'", QUOTES},
    {"\xe2\x80\x9c", "the quote is a typographic one, U+201C; JSON's is \""},
    {"\xe2\x80\x9d", "the quote is a typographic one, U+201D; JSON's is \""},
    {"\xe2\x88\x92", "the minus is U+2212; JSON's is -"},
    {"True", "JSON writes true"},
    {"TRUE", "JSON writes true"},
    {"False", "JSON writes false"},
    {"FALSE", "JSON writes false"},
    {"None", "JSON writes null"},
    {"NULL", "JSON writes null"},
    {".", POINT},
    {"+", "JSON writes a number without a +"},
};
static const slip COMMENTS[] = {{"//", COMMENT}, {"/*", COMMENT}, {"#", COMMENT}};

static const char *find(const slip *rows, size_t count, const json_text *t, const char *at)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(rows[i].found);
        if ((size_t)(t->end - at) >= length && memcmp(at, rows[i].found, length) == 0)
            return rows[i].remedy;
    }
    return NULL;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "1.": no digit follows the point. */
static bool ends_in_point(const json_text *t, const char *at)
{
    const char *end = json_word_end(t, at);
    return end > at && end[-1] == '.';
}

/* "01", "-007". */
static bool has_leading_zero(const json_text *t, const char *at)
{
    at += at < t->end && *at == '-';
    return t->end - at > 1 && at[0] == '0' && is_digit(at[1]);
}

static bool begins_a_word(const json_text *t, const char *at)
{
    return at < t->end && ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_');
}

const char *json_slip_of_value(const json_text *t, const char *at, bool may_be_text)
{
    const char *known = find(VALUES, sizeof VALUES / sizeof VALUES[0], t, at);
    if (known != NULL)
        return known;
    if (ends_in_point(t, at))
        return POINT;
    if (has_leading_zero(t, at))
        return "JSON writes a number without zeros before it";
    return may_be_text && begins_a_word(t, at) ? QUOTES : NULL;
}

/* "1/2": behind a number, which passed, stands a line of division. */
static bool is_fraction(const json_text *t, const char *at)
{
    const char *before = at;
    while (before > t->bytes && before[-1] == ' ')
        before--;
    return at < t->end && *at == '/' && before > t->bytes && is_digit(before[-1]);
}

const char *json_slip_between(const json_text *t, const char *at)
{
    const char *comment = find(COMMENTS, sizeof COMMENTS / sizeof COMMENTS[0], t, at);
    if (comment != NULL)
        return comment;
    return is_fraction(t, at) ? "JSON has no fractions: write 0.5 for 1/2" : NULL;
}
