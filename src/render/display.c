#include "render/display.h"

#include "base/utf8.h"
#include "render/display_width.h"

#include <string.h>

/* The code point of a well-formed character of `bytes` bytes (RFC 3629, section 3). */
static uint32_t code_point(const unsigned char *p, size_t bytes)
{
    uint32_t code = bytes == 1 ? p[0] : p[0] & (0xffu >> (bytes + 1));
    for (size_t i = 1; i < bytes; i++)
        code = code << 6 | (p[i] & 0x3fu);
    return code;
}

static size_t character_bytes(unsigned char first)
{
    return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* C0 and C1 controls (with escape and the 8-bit CSI), line and paragraph separators, the byte
 * order mark, and the marks that turn the direction of what follows (Unicode Standard Annex #9). */
static bool is_order(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

glyph glyph_at(const char *at, const char *end)
{
    size_t bytes = character_bytes((unsigned char)*at);
    if ((size_t)(end - at) < bytes || utf8_find_invalid(at, at + bytes) != NULL)
        return (glyph){.bytes = 1, .columns = 1};
    uint32_t code = code_point((const unsigned char *)at, bytes);
    if (is_order(code))
        return (glyph){.bytes = bytes, .columns = 1};
    return (glyph){.bytes = bytes, .columns = code_point_columns(code), .is_safe = true};
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

void display_end_line(text *out)
{
    while (out->length > 0 && out->data[out->length - 1] == ' ')
        out->length--;
    text_add_string(out, "\n");
}
