#include "reader.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void reader_fail(reader *r, const char *format, ...)
{
    if (r->failed)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(r->why, sizeof r->why, format, args);
    va_end(args);
    r->failed = true;
}

void read_spaces(reader *r)
{
    r->at += strspn(r->at, " ");
}

bool reader_sees(reader *r, const char *words)
{
    size_t length = strlen(words);
    if (r->failed || strncmp(r->at, words, length) != 0)
        return false;
    r->at += length;
    return true;
}

void read_words(reader *r, const char *format, ...)
{
    char words[512];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    if (!r->failed && !reader_sees(r, words))
        reader_fail(r, "expected '%s', found '%.40s'", words, r->at);
}

size_t read_count(reader *r)
{
    char *end;
    if (r->failed || !isdigit((unsigned char)*r->at)) {
        reader_fail(r, "expected a count, found '%.40s'", r->at);
        return 0;
    }
    unsigned long count = strtoul(r->at, &end, 10);
    r->at = end;
    return count;
}

/* ---- numbers ---- */

/* The text of a number, taken apart. */
typedef struct printed {
    const char *text;
    size_t length, decimals;
    bool is_negative, has_exponent;
    double value;
} printed;

static printed printed_at(const char *at)
{
    printed p = {.text = at, .is_negative = *at == '-'};
    const char *s = at + p.is_negative;
    s += strspn(s, "0123456789");
    if (*s == '.') {
        p.decimals = strspn(s + 1, "0123456789");
        s += 1 + p.decimals;
    }
    if (*s == 'e' && (s[1] == '-' || s[1] == '+')) {
        p.has_exponent = true;
        s += 2 + strspn(s + 2, "0123456789");
    }
    p.length = (size_t)(s - at);
    p.value = strtod(at, NULL);
    return p;
}

/* The value rounded to the decimals that were asked for, or to the four, or five digits, that are
 * the most: what is printed may leave out zeros, and nothing else. */
static double rounded(double value, const printed *p, int digits)
{
    char text[512];
    snprintf(text, sizeof text, p->has_exponent ? "%.*e" : "%.*f", digits >= 0 ? digits : 4, value);
    return strtod(text, NULL);
}

/* By default four decimals or, where those would hide it, five digits and an exponent. */
static bool has_right_form(const printed *p, double value, int digits)
{
    if (digits >= 0)
        return !p->has_exponent && p->decimals == (size_t)digits;
    bool needs_exponent = value != 0 && (fabs(value) < 0.000999995 || fabs(value) >= 1e7);
    return p->has_exponent == needs_exponent && p->decimals <= 4;
}

static size_t shows_nonfinite(const char *at, double value)
{
    const char *text = isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
    return strncmp(at, text, strlen(text)) == 0 ? strlen(text) : 0;
}

/* How long the text is that shows this value; 0 where it does not. */
static size_t shows(const char *at, double value, int digits)
{
    if (!isfinite(value))
        return shows_nonfinite(at, value);
    printed p = printed_at(at);
    if (!isdigit((unsigned char)at[p.is_negative]) || !has_right_form(&p, value, digits))
        return 0;
    if (p.value == 0 && p.is_negative)
        return 0;
    return p.value == rounded(value, &p, digits) ? p.length : 0;
}

void read_number(reader *r, double value)
{
    size_t length = r->failed ? 0 : shows(r->at, value, r->of->how.digits);
    if (length == 0)
        reader_fail(r, "expected %.9g, found '%.40s'", value, r->at);
    r->at += length;
}

void read_operand(reader *r, double value)
{
    bool has_sign = !r->failed && r->at[0] == '(' && r->at[1] == '-';
    if (has_sign)
        r->at++;
    else if (*r->at == '-')
        reader_fail(r, "expected parentheses around '%.40s'", r->at);
    read_number(r, value);
    if (has_sign)
        read_words(r, ")");
}

void read_end(reader *r)
{
    if (!r->failed && *r->at != '\0')
        reader_fail(r, "expected no more, found '%.60s'", r->at);
}
