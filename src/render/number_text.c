#include "render/number_text.h"

#include "base/mem.h"
#include "io/number_read.h"
#include "render/display.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { EXPONENT_DIGITS = 5 };
/* Below the first, five digits are less than 0.001 after rounding too: no "1.0000e-03". */
static const double PLAIN_FROM = 0.000999995, PLAIN_BELOW = 1e7;

static bool reads_back(double value, const char *number, size_t length)
{
    double read;
    return number_read_f64(number, number + length, &read) &&
           (read == value || (double)(float)read == value);
}

/* Leaves away the zeros that end the decimals, in front of an exponent too, and a point with
 * nothing after it. */
static size_t trim_zeros(char *number, size_t length)
{
    char *point = strchr(number, '.'), *tail = point + strcspn(point, "e"), *end = tail;
    while (end[-1] == '0')
        end--;
    if (end - 1 == point)
        end--;
    memmove(end, tail, strlen(tail) + 1);
    return length - (size_t)(tail - end);
}

static bool is_plain(double value)
{
    return value == 0 || (fabs(value) >= PLAIN_FROM && fabs(value) < PLAIN_BELOW);
}

size_t number_text_write(double value, int digits, char out[NUMBER_FIXED_TEXT])
{
    int decimals = digits < NUMBER_MAX_DIGITS ? digits : NUMBER_MAX_DIGITS;
    if (!isfinite(value))
        return number_write_fixed(value, 0, out);
    size_t length = digits >= 0       ? number_write_fixed(value, decimals, out)
                    : is_plain(value) ? number_write_fixed(value, NUMBER_TEXT_DECIMALS, out)
                                      : number_write_exponent(value, EXPONENT_DIGITS, out);
    if (digits < 0 && (digits != NUMBER_TEXT_KEEPS || reads_back(value, out, length)))
        length = trim_zeros(out, length);
    /* "-0.00" is what a small negative number rounds to. */
    if (out[0] != '-' || strspn(out + 1, "0.") + 1 != length)
        return length;
    memmove(out, out + 1, length);
    return length - 1;
}

bool number_text_units(double value, int digits, uint64_t *units)
{
    const uint64_t most = (uint64_t)1 << 51;
    if (!isfinite(value) || (digits < 0 && !is_plain(value)))
        return false;
    return number_fixed_units(value, digits < 0 ? NUMBER_TEXT_DECIMALS : digits, units) &&
           *units < most;
}

double number_text_value(double value, int digits)
{
    char number[NUMBER_FIXED_TEXT];
    size_t length = number_text_write(value, digits, number);
    if (isfinite(value))
        number_read_f64(number, number + length, &value);
    return value;
}

bool number_text_is_exact(double value, int digits)
{
    char number[NUMBER_FIXED_TEXT];
    return reads_back(value, number, number_text_write(value, digits, number));
}

void number_text_add(text *out, double value, int digits)
{
    char number[NUMBER_FIXED_TEXT];
    text_add(out, number, number_text_write(value, digits, number));
}

void number_text_add_operand(text *out, double value, int digits)
{
    char number[NUMBER_FIXED_TEXT];
    size_t length = number_text_write(value, digits, number);
    text_add_format(out, number[0] == '-' ? "(%.*s)" : "%.*s", (int)length, number);
}

/* A number that has a place for its point among others: finite, and without an exponent. */
static bool is_plain_text(const char *number)
{
    return number[strspn(number, "-0123456789.")] == '\0';
}

void number_width_add(number_width *width, double value, int digits)
{
    char number[NUMBER_FIXED_TEXT];
    size_t length = number_text_write(value, digits, number), before = strcspn(number, ".");
    if (!is_plain_text(number)) {
        width->alone = size_larger(width->alone, length);
        return;
    }
    width->before = size_larger(width->before, before);
    width->decimals = size_larger(width->decimals, length == before ? 0 : length - before - 1);
}

size_t number_width_columns(const number_width *width)
{
    size_t after = width->decimals == 0 ? 0 : width->decimals + 1;
    return size_larger(width->before + after, width->alone);
}

void number_text_add_aligned(text *out, double value, int digits, const number_width *width)
{
    char number[NUMBER_FIXED_TEXT];
    size_t length = number_text_write(value, digits, number);
    if (is_plain_text(number))
        length = number_text_write(value, (int)width->decimals, number);
    text_add_repeated(out, " ", number_width_columns(width) - length);
    text_add(out, number, length);
}

/* ---- labels ---- */

enum { LABEL_COLUMNS = 16 };

const trace_labels *labels_that_say(const trace_labels *labels, size_t count)
{
    return count > 1 || labels->names != NULL || labels->letter != NULL ? labels : NULL;
}

const char *label_whole(const trace_labels *labels, size_t index, char room[LABEL_ROOM])
{
    if (index == SELECTION_GAP)
        return "…";
    assert(labels->names == NULL || index < labels->names->count);
    if (labels->names != NULL && *labels->names->item[index] != '\0')
        return labels->names->item[index];
    if (labels->letter != NULL)
        snprintf(room, LABEL_ROOM, "%s%s%zu]", labels->letter,
                 strchr(labels->letter, '[') == NULL ? "[" : ",", index + 1);
    else
        snprintf(room, LABEL_ROOM, "%zu", index + 1);
    return room;
}

size_t label_add(text *out, const trace_labels *labels, size_t index)
{
    char room[LABEL_ROOM];
    return display_add_cut(out, label_whole(labels, index, room), LABEL_COLUMNS);
}

size_t label_columns(const trace_labels *labels, size_t index)
{
    return label_add(NULL, labels, index);
}

size_t labels_widest(const trace_labels *labels, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found = size_larger(found, label_columns(labels, i));
    return found;
}
