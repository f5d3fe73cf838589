#include "render/display.h"

#include "base/utf8.h"
#include "render/display_width.h"

#include <string.h>

glyph glyph_at(const char *at, const char *end)
{
    utf8_character one = utf8_read(at, end);
    if (one.bytes == 0)
        return (glyph){.bytes = 1, .columns = 1};
    if (utf8_is_order(one.code))
        return (glyph){.bytes = one.bytes, .columns = 1};
    return (glyph){.bytes = one.bytes, .columns = code_point_columns(one.code), .is_safe = true};
}

size_t display_columns(const char *string, size_t length)
{
    size_t columns = 0;
    for (const char *end = string + length; string < end;) {
        glyph g = glyph_at(string, end);
        columns += g.columns;
        string += g.bytes;
    }
    return columns;
}

void display_add(text *out, const char *string, size_t length)
{
    for (const char *end = string + length; string < end;) {
        glyph g = glyph_at(string, end);
        text_add(out, g.is_safe ? string : "?", g.is_safe ? g.bytes : 1);
        string += g.bytes;
    }
}

void display_add_string(text *out, const char *string)
{
    display_add(out, string, strlen(string));
}

/* The bytes of the longest beginning of at most `most` columns, and its columns. Characters
 * without width may be any number, so bytes end it too: eight a column are enough for every
 * script. */
static size_t fitting_bytes(const char *string, size_t length, size_t most, size_t *columns)
{
    size_t bytes = 0;
    *columns = 0;
    while (bytes < length) {
        glyph g = glyph_at(string + bytes, string + length);
        if (*columns + g.columns > most || bytes + g.bytes > 8 * most)
            break;
        *columns += g.columns;
        bytes += g.bytes;
    }
    return bytes;
}

/* The bytes that are left when it is cut, and the columns with the …. */
static size_t cut_bytes(const char *string, size_t length, size_t most, size_t *columns)
{
    size_t bytes = fitting_bytes(string, length, most, columns);
    if (bytes == length)
        return bytes;
    bytes = fitting_bytes(string, length, most - 1, columns);
    *columns += 1;
    return bytes;
}

size_t display_add_cut(text *out, const char *string, size_t most)
{
    size_t length = strlen(string), columns, bytes = cut_bytes(string, length, most, &columns);
    display_add(out, string, bytes);
    text_add_string(out, bytes < length ? "…" : "");
    return columns;
}

size_t display_cut_columns(const char *string, size_t most)
{
    size_t columns;
    cut_bytes(string, strlen(string), most, &columns);
    return columns;
}

size_t display_line(const char *string, size_t columns, size_t *skip)
{
    size_t length = strcspn(string, "\n"), used;
    size_t bytes = fitting_bytes(string, length, columns, &used);
    *skip = string[bytes] == '\n';
    if (bytes == length)
        return bytes;
    size_t end = bytes;
    while (end > 0 && string[end] != ' ')
        end--;
    size_t line = end;
    while (line > 0 && string[line - 1] == ' ')
        line--;
    if (line ==
        0) { /* a word longer than the line; one character at least, so that there is an end */
        size_t first = glyph_at(string, string + length).bytes;
        return bytes > first ? bytes : first;
    }
    *skip = end - line + strspn(string + end, " ");
    return line;
}

void display_add_wrapped(text *out, const char *words, size_t indent, size_t width)
{
    while (*words != '\0') {
        size_t skip, line = display_line(words, width > indent ? width - indent : 1, &skip);
        text_add_repeated(out, " ", indent);
        display_add(out, words, line);
        display_end_line(out);
        words += line + skip;
    }
}

void display_add_lines(text *out, const char *words)
{
    while (*words != '\0') {
        size_t length = strcspn(words, "\r\t");
        text_add(out, words, length);
        words += length;
        bool is_pair = words[0] == '\r' && words[1] == '\n';
        if (*words != '\0' && !is_pair)
            text_add_string(out, *words == '\r' ? "\n" : " ");
        words += *words != '\0';
    }
}

void display_end_line(text *out)
{
    while (out->length > 0 && out->data[out->length - 1] == ' ')
        out->length--;
    text_add_string(out, "\n");
}
