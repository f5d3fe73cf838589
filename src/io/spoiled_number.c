#include "io/spoiled_number.h"

#include "io/number_read.h"

#include <string.h>

enum { LONGEST = 64 }; /* bytes: no number that somebody typed is longer */

/* A text with ASCII in the place of what looks like it. */
typedef struct ascii {
    char text[LONGEST];
    size_t length;
    bool has_minus, has_wide; /* U+2212, and characters of full width were there */
    bool has_margin;          /* spaces were around it */
} ascii;

static bool is_number(const char *text, size_t length)
{
    return length > 0 && number_end_csv(text, text + length) == text + length;
}

bool is_decimal_comma(const char *text, size_t length)
{
    char copy[LONGEST];
    const char *comma = length == 0 ? NULL : memchr(text, ',', length);
    if (comma == NULL || length > sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[comma - text] = '.';
    return is_number(copy, length);
}

/* One character of `text`, or 0 where it has no likeness in ASCII; `length` is how long it was. */
static char take_character(const char *text, const char *end, ascii *to, size_t *length)
{
    static const char wide_first[] = "\xef\xbc\x8b", wide_last[] = "\xef\xbc\x99"; /* ＋ to ９ */
    static const char *const spaces[] = {"\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89"};
    *length = 1;
    if ((unsigned char)*text < 0x80)
        return *text;
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        *length = strlen(spaces[i]);
        if ((size_t)(end - text) >= *length && memcmp(text, spaces[i], *length) == 0)
            return ' ';
    }
    *length = 3;
    if (end - text < 3)
        return 0;
    if (memcmp(text, "\xe2\x88\x92", 3) == 0) {
        to->has_minus = true;
        return '-';
    }
    if (memcmp(text, wide_first, 3) < 0 || memcmp(text, wide_last, 3) > 0)
        return 0;
    to->has_wide = true;
    return (char)('+' + (text[2] - wide_first[2]));
}

static bool find_ascii(const char *text, size_t length, ascii *to)
{
    const char *end = text + length;
    *to = (ascii){.length = 0};
    while (text < end && to->length < LONGEST) {
        size_t taken;
        char c = take_character(text, end, to, &taken);
        if (c == 0)
            return false;
        to->text[to->length++] = c;
        text += taken;
    }
    return text == end;
}

/* The caller has taken off those of ASCII. */
static void take_off_spaces(ascii *a)
{
    size_t from = 0, length = a->length;
    while (from < a->length && a->text[from] == ' ')
        from++;
    while (a->length > from && a->text[a->length - 1] == ' ')
        a->length--;
    a->length -= from;
    a->has_margin = a->length < length;
    memmove(a->text, a->text + from, a->length);
}

static size_t count_digits(const char *text, const char *end)
{
    const char *p = text;
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return (size_t)(p - text);
}

/* "1,234.5": groups of three behind `separator`, at least one, and perhaps a fraction. */
static bool has_groups(const ascii *a, char separator, char point, bool has_fraction)
{
    const char *p = a->text, *end = p + a->length;
    p += p < end && (*p == '-' || *p == '+');
    size_t groups = 0, digits = count_digits(p, end);
    if (digits < 1 || digits > 3)
        return false;
    for (p += digits; p < end && *p == separator && count_digits(p + 1, end) == 3; p += 4)
        groups++;
    if (groups == 0 || p == end)
        return groups > 0 && !has_fraction;
    return *p == point && count_digits(p + 1, end) == (size_t)(end - p - 1);
}

static bool has_separators(const ascii *a)
{
    return has_groups(a, ',', '.', false) || has_groups(a, '\'', '.', false) ||
           has_groups(a, ' ', '.', false) || has_groups(a, ' ', ',', true) ||
           has_groups(a, '.', ',', true);
}

static const char *hexadecimal_digits(const char *p, const char *end)
{
    while (p < end && *p != '\0' && strchr("0123456789abcdefABCDEF", *p) != NULL)
        p++;
    return p;
}

/* As C's strtod reads it: with a fraction and a binary exponent, or without. */
static bool is_hexadecimal(const ascii *a)
{
    size_t sign = a->length > 0 && (a->text[0] == '-' || a->text[0] == '+');
    const char *p = a->text + sign, *end = a->text + a->length;
    if (end - p < 3 || p[0] != '0' || (p[1] != 'x' && p[1] != 'X'))
        return false;
    const char *digits = p + 2;
    p = hexadecimal_digits(digits, end);
    if (p < end && *p == '.')
        p = hexadecimal_digits(p + 1, end);
    if (end - p < 2 || p == digits || (*p != 'p' && *p != 'P'))
        return p == end;
    p += 1 + (p[1] == '-' || p[1] == '+');
    return p < end && count_digits(p, end) == (size_t)(end - p);
}

/* "1.5D-03": in double precision, as Fortran has it. */
static bool has_fortran_exponent(const ascii *a)
{
    ascii copy = *a;
    for (size_t i = 1; i + 1 < copy.length; i++) {
        if (copy.text[i] != 'd' && copy.text[i] != 'D')
            continue;
        copy.text[i] = 'e';
        return is_number(copy.text, copy.length);
    }
    return false;
}

const char *spoiled_number_remedy(const char *text, size_t length)
{
    ascii a;
    if (!find_ascii(text, length, &a))
        return NULL;
    take_off_spaces(&a);
    bool has_comma = is_decimal_comma(a.text, a.length), has_more = has_separators(&a);
    if (!is_number(a.text, a.length) && !has_comma && !has_more)
        return has_fortran_exponent(&a) ? "exponents are read behind e: write 1e5 for 1d5"
               : is_hexadecimal(&a)     ? "hexadecimal is not read: write 16 for 0x10"
                                        : NULL;
    if (a.has_wide)
        return "numbers are read in ASCII, not in characters of full width: write 12 for １２";
    if (has_comma)
        return "decimal commas are not read: write 0.5 for 0,5";
    if (has_more)
        return "numbers are read without separators of thousands: write 1234.5 for 1,234.5";
    if (a.has_margin)
        return "the spaces beside a number are U+0020, and here stands another, such as U+00A0";
    return a.has_minus ? "a number's minus is - (U+002D), and here stands − (U+2212)" : NULL;
}
