#include "tokens.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

static bool is_digit(char c)
{
    return isdigit((unsigned char)c) != 0;
}

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) != 0;
}

/* "inf" and "nan" as words of their own. */
static size_t word_length(const char *at, char before)
{
    bool is_word = strncmp(at, "inf", 3) == 0 || strncmp(at, "nan", 3) == 0;
    return is_word && !is_letter(before) && !is_letter(at[3]) ? 3 : 0;
}

static size_t digits_length(const char *at)
{
    const char *end = at;
    while (is_digit(*end))
        end++;
    if (*end == '.' && is_digit(end[1])) {
        end++;
        while (is_digit(*end))
            end++;
    }
    if (*end == 'e' && (end[1] == '-' || end[1] == '+') && is_digit(end[2])) {
        end += 2;
        while (is_digit(*end))
            end++;
    }
    return (size_t)(end - at);
}

bool token_next(const char **at, char token[TOKEN_MOST])
{
    for (char before = ' '; **at != '\0'; before = *(*at)++) {
        size_t length = is_digit(**at) ? digits_length(*at) : word_length(*at, before);
        if (length == 0 || length + 1 >= TOKEN_MOST)
            continue;
        snprintf(token, TOKEN_MOST, "%s%.*s", before == '-' ? "-" : "", (int)length, *at);
        *at += length;
        return true;
    }
    return false;
}

/* ---- how a number is written ---- */

/* Zeros that end the decimals go. */
static void trim(char *number)
{
    char *point = strchr(number, '.');
    if (point == NULL)
        return;
    char *tail = point + strcspn(point, "e"), *end = tail;
    while (end[-1] == '0')
        end--;
    memmove(end[-1] == '.' ? end - 1 : end, tail, strlen(tail) + 1);
}

static bool is_written(const char *token, double value)
{
    char number[64];
    double size = fabs(value);
    bool is_plain = value == 0 || !isfinite(value) || (size >= 0.000999995 && size < 1e7);
    snprintf(number, sizeof number, is_plain ? "%.4f" : "%.4e", value);
    trim(number);
    return strcmp(strcmp(number, "-0") == 0 ? "0" : number, token) == 0;
}

/* Stages are float32, sizes and statistics float64; the data don't say which is which. */
bool token_is(const char *token, double value)
{
    char number[TOKEN_MOST];
    strcpy(number, token);
    trim(number); /* in a column all have as many decimals */
    return is_written(number, value) || is_written(number, (double)(float)value);
}

/* ---- what a format adds ---- */

/* Every `from` becomes `to`, which is not longer. */
static void replace(char *bytes, const char *from, const char *to)
{
    char *out = bytes;
    while (*bytes != '\0') {
        if (strncmp(bytes, from, strlen(from)) == 0) {
            memcpy(out, to, strlen(to));
            out += strlen(to);
            bytes += strlen(from);
        } else
            *out++ = *bytes++;
    }
    *out = '\0';
}

/* All from `first` to `last`, both included, becomes one space; without `last`, the rest does. */
static void cut(char *bytes, const char *first, const char *last)
{
    char *at = bytes;
    while ((at = strstr(at, first)) != NULL) {
        char *end = strstr(at, last);
        end = end == NULL ? at + strlen(at) : end + strlen(last);
        *at++ = ' ';
        memmove(at, end, strlen(end) + 1);
    }
}

/* 6.0337\cdot 10^{-6} becomes 6.0337e-06, as printf writes it; what follows is moved. */
static void join_powers(char *bytes)
{
    static const char POWER[] = "\\cdot 10^{";
    char *at = bytes, room[TOKEN_MOST];
    while ((at = strstr(at, POWER)) != NULL) {
        char *end = strchr(at, '}');
        int exponent = atoi(at + strlen(POWER));
        int length = snprintf(room, sizeof room, "e%+03d", exponent);
        memcpy(at, room, (size_t)length);
        memmove(at + length, end + 1, strlen(end + 1) + 1);
    }
}

static void strip_html(char *bytes)
{
    cut(bytes, "<head>", "</head>");
    cut(bytes, "<template", "</template>"); /* the page with another number of heads */
    cut(bytes, "<small>", "</small>");      /* what a step does, beside its name */
    cut(bytes, "<summary>", "</summary>");  /* the name of a floor, which its steps have too */
    cut(bytes, "<script", "</script>");
    cut(bytes, "<svg", "</svg>");
    cut(bytes, "<p hidden", "</p>"); /* what is not so of these numbers */
    cut(bytes, "<", ">");
    cut(bytes, "&#", ";");
}

static void strip_latex(char *bytes)
{
    char *begin = strstr(bytes, "\\begin{document}");
    if (begin != NULL)
        memmove(bytes, begin, strlen(begin) + 1);
    cut(bytes, "\\begin{tabular}", "\n");
    replace(bytes, "$-$", "-");
}

void tokens_plain_minus(char *bytes)
{
    replace(bytes, "−", "-");
}

void tokens_strip(char *bytes, const char *format)
{
    if (strcmp(format, "html") == 0)
        strip_html(bytes);
    else if (strcmp(format, "latex") == 0)
        strip_latex(bytes);
    join_powers(bytes);
    replace(bytes, "^2", " "); /* ² and ³, which are not digits elsewhere */
    replace(bytes, "^3", " ");
    replace(bytes, "\\infty", " inf ");
    replace(bytes, "∞", "inf");
    replace(bytes, "- inf ", "-inf");
    tokens_plain_minus(bytes);
}
