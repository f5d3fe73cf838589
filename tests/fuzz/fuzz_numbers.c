/* Any text as a number: the two grammars against regular expressions, the value against the C
 * library's strtod and strtof (glibc's are exact), and the number whose bits the first bytes are,
 * or with does_all_of_each every such number, written and read back. */
#include "fuzz/claims.h"
#include "io/number_read.h"
#include "io/number_write.h"

#include <math.h>
#include <regex.h>

/* ---- reading ---- */

static const regex_t *compiled(const char *pattern, regex_t *into, bool *is_there)
{
    if (!*is_there)
        claim(regcomp(into, pattern, REG_EXTENDED) == 0, "the regular expression is one");
    *is_there = true;
    return into;
}

/* RFC 8259, section 6; in CSV also a plus, and no digits on one side of the point. */
static const regex_t *json_grammar(void)
{
    static regex_t compiled_once;
    static bool is_there;
    return compiled("^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?", &compiled_once, &is_there);
}

static const regex_t *csv_grammar(void)
{
    static regex_t compiled_once;
    static bool is_there;
    return compiled("^[-+]?((0|[1-9][0-9]*)(\\.[0-9]*)?|\\.[0-9]+)([eE][-+]?[0-9]+)?",
                    &compiled_once, &is_there);
}

/* The end of the longest match, or NULL. */
static const char *matched(const regex_t *grammar, const char *string)
{
    regmatch_t match;
    return regexec(grammar, string, 1, &match, 0) == 0 ? string + match.rm_eo : NULL;
}

static bool same_bits(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

/* `number` ends after its last digit. */
static void check_value(const char *number)
{
    const char *end = number + strlen(number);
    double wide = strtod(number, NULL), got_wide = 0;
    float narrow = strtof(number, NULL), got_narrow = 0;
    claim(number_read_f64(number, end, &got_wide) == (isinf(wide) == 0),
          "what strtod makes infinite is too large, and nothing else");
    claim(number_read_f32(number, end, &got_narrow) == (isinf(narrow) == 0),
          "what strtof makes infinite is too large, and nothing else");
    claim(isinf(wide) || same_bits(&wide, &got_wide, sizeof wide), "a float64 is strtod's");
    claim(isinf(narrow) || same_bits(&narrow, &got_narrow, sizeof narrow), "a float32 is strtof's");
}

static void check_grammar(const char *string, const char *wanted, const char *got)
{
    claim(wanted == got, "a number ends where the regular expression does");
    if (got == NULL)
        return;
    char *number = strndup(string, (size_t)(got - string));
    claim(number != NULL, "there is memory");
    check_value(number);
    free(number);
}

static void check_reading(const char *bytes, size_t length)
{
    char *string = strndup(bytes, length);
    claim(string != NULL, "there is memory");
    const char *end = string + strlen(string);
    double value;
    check_grammar(string, matched(json_grammar(), string), number_end_json(string, end));
    check_grammar(string, matched(csv_grammar(), string), number_end_csv(string, end));
    if (number_read_nonfinite(string, end, &value))
        claim(isfinite(value) == 0 && number_end_csv(string, end) == NULL,
              "what is not finite is not a number");
    free(string);
}

/* ---- writing ---- */

/* Digits without the zeros on both ends: those that say something. */
static size_t count_digits(const char *number)
{
    size_t digits = 0, zeros = 0;
    for (; *number != '\0' && *number != 'e'; number++) {
        if (*number == '0' && digits > 0)
            zeros++;
        if (*number >= '1' && *number <= '9') {
            digits += zeros + 1;
            zeros = 0;
        }
    }
    return digits == 0 ? 1 : digits;
}

/* The fewest digits of a correctly rounded decimal that strtod reads as the value. */
static size_t fewest_digits(double value, bool is_narrow)
{
    char number[NUMBER_FIXED_TEXT];
    int digits = 1;
    for (; digits < 17; digits++) {
        snprintf(number, sizeof number, "%.*e", digits - 1, value);
        if (is_narrow ? strtof(number, NULL) == (float)value : strtod(number, NULL) == value)
            break;
    }
    snprintf(number, sizeof number, "%.*e", digits - 1, value);
    return count_digits(number);
}

static void check_shortest(double value, bool is_narrow)
{
    char number[NUMBER_TEXT];
    size_t length =
        is_narrow ? number_write_f32((float)value, number) : number_write_f64(value, number);
    float narrow = strtof(number, NULL), value_narrow = (float)value;
    double wide = strtod(number, NULL);
    claim(length == strlen(number), "the length is the text's");
    claim(is_narrow ? same_bits(&narrow, &value_narrow, sizeof narrow)
                    : same_bits(&wide, &value, sizeof wide),
          "what is written reads back to the same bits");
    claim(count_digits(number) <= fewest_digits(value, is_narrow), "no shorter decimal reads back");
    claim(number_end_json(number, number + length) == number + length, "it is a number in JSON");
    check_value(number);
}

/* printf rounds exactly, ties to even. */
static void check_rounded(double value, int digits)
{
    char got[NUMBER_FIXED_TEXT], wanted[NUMBER_FIXED_TEXT];
    int fixed = digits % (NUMBER_MAX_DIGITS + 1), significant = 1 + digits % 17;
    size_t length = number_write_fixed(value, fixed, got);
    snprintf(wanted, sizeof wanted, "%.*f", fixed, value);
    claim(length == strlen(got) && strcmp(got, wanted) == 0, "fixed decimals are printf's");
    length = number_write_exponent(value, significant, got);
    snprintf(wanted, sizeof wanted, "%.*e", significant - 1, value);
    claim(length == strlen(got) && strcmp(got, wanted) == 0, "rounded digits are printf's");
}

static void check_writing(const uint8_t *bits, int digits)
{
    double wide;
    float narrow;
    memcpy(&wide, bits, sizeof wide);
    memcpy(&narrow, bits, sizeof narrow);
    if (isfinite(wide)) {
        check_shortest(wide, false);
        check_rounded(wide, digits);
    }
    if (isfinite(narrow))
        check_shortest((double)narrow, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    check_reading((const char *)data, length);
    for (size_t i = 0; i + sizeof(double) < length; i += sizeof(double)) {
        check_writing(data + i, data[i + sizeof(double)]);
        if (!does_all_of_each())
            break;
    }
    return 0;
}
