#include "render/display.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <string.h>

/* ---- how wide a character is ---- */

/* Ranges of code points in their order, unassigned ones between two of the same kind included. */
typedef struct code_range {
    uint32_t first, last;
} code_range;

/* What joins the character before it. Unicode 14.0, UnicodeData.txt: categories Mn and Me of
 * plane 0, with the Hangul vowels and finals that join a syllable, the joiners without width,
 * and the variation selectors of plane 14. */
static const code_range JOINING[] = {
    {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x5bf, 0x5bf},     {0x5c1, 0x5c2},
    {0x5c4, 0x5c5},   {0x5c7, 0x5c7},   {0x610, 0x61a},   {0x64b, 0x65f},     {0x670, 0x670},
    {0x6d6, 0x6dc},   {0x6df, 0x6e4},   {0x6e7, 0x6e8},   {0x6ea, 0x6ed},     {0x711, 0x711},
    {0x730, 0x74a},   {0x7a6, 0x7b0},   {0x7eb, 0x7f3},   {0x7fd, 0x7fd},     {0x816, 0x819},
    {0x81b, 0x823},   {0x825, 0x827},   {0x829, 0x82d},   {0x859, 0x85b},     {0x898, 0x89f},
    {0x8ca, 0x8e1},   {0x8e3, 0x902},   {0x93a, 0x93a},   {0x93c, 0x93c},     {0x941, 0x948},
    {0x94d, 0x94d},   {0x951, 0x957},   {0x962, 0x963},   {0x981, 0x981},     {0x9bc, 0x9bc},
    {0x9c1, 0x9c4},   {0x9cd, 0x9cd},   {0x9e2, 0x9e3},   {0x9fe, 0xa02},     {0xa3c, 0xa3c},
    {0xa41, 0xa51},   {0xa70, 0xa71},   {0xa75, 0xa75},   {0xa81, 0xa82},     {0xabc, 0xabc},
    {0xac1, 0xac8},   {0xacd, 0xacd},   {0xae2, 0xae3},   {0xafa, 0xb01},     {0xb3c, 0xb3c},
    {0xb3f, 0xb3f},   {0xb41, 0xb44},   {0xb4d, 0xb56},   {0xb62, 0xb63},     {0xb82, 0xb82},
    {0xbc0, 0xbc0},   {0xbcd, 0xbcd},   {0xc00, 0xc00},   {0xc04, 0xc04},     {0xc3c, 0xc3c},
    {0xc3e, 0xc40},   {0xc46, 0xc56},   {0xc62, 0xc63},   {0xc81, 0xc81},     {0xcbc, 0xcbc},
    {0xcbf, 0xcbf},   {0xcc6, 0xcc6},   {0xccc, 0xccd},   {0xce2, 0xce3},     {0xd00, 0xd01},
    {0xd3b, 0xd3c},   {0xd41, 0xd44},   {0xd4d, 0xd4d},   {0xd62, 0xd63},     {0xd81, 0xd81},
    {0xdca, 0xdca},   {0xdd2, 0xdd6},   {0xe31, 0xe31},   {0xe34, 0xe3a},     {0xe47, 0xe4e},
    {0xeb1, 0xeb1},   {0xeb4, 0xebc},   {0xec8, 0xecd},   {0xf18, 0xf19},     {0xf35, 0xf35},
    {0xf37, 0xf37},   {0xf39, 0xf39},   {0xf71, 0xf7e},   {0xf80, 0xf84},     {0xf86, 0xf87},
    {0xf8d, 0xfbc},   {0xfc6, 0xfc6},   {0x102d, 0x1030}, {0x1032, 0x1037},   {0x1039, 0x103a},
    {0x103d, 0x103e}, {0x1058, 0x1059}, {0x105e, 0x1060}, {0x1071, 0x1074},   {0x1082, 0x1082},
    {0x1085, 0x1086}, {0x108d, 0x108d}, {0x109d, 0x109d}, {0x1160, 0x11ff},   {0x135d, 0x135f},
    {0x1712, 0x1714}, {0x1732, 0x1733}, {0x1752, 0x1753}, {0x1772, 0x1773},   {0x17b4, 0x17b5},
    {0x17b7, 0x17bd}, {0x17c6, 0x17c6}, {0x17c9, 0x17d3}, {0x17dd, 0x17dd},   {0x180b, 0x180d},
    {0x180f, 0x180f}, {0x1885, 0x1886}, {0x18a9, 0x18a9}, {0x1920, 0x1922},   {0x1927, 0x1928},
    {0x1932, 0x1932}, {0x1939, 0x193b}, {0x1a17, 0x1a18}, {0x1a1b, 0x1a1b},   {0x1a56, 0x1a56},
    {0x1a58, 0x1a60}, {0x1a62, 0x1a62}, {0x1a65, 0x1a6c}, {0x1a73, 0x1a7f},   {0x1ab0, 0x1b03},
    {0x1b34, 0x1b34}, {0x1b36, 0x1b3a}, {0x1b3c, 0x1b3c}, {0x1b42, 0x1b42},   {0x1b6b, 0x1b73},
    {0x1b80, 0x1b81}, {0x1ba2, 0x1ba5}, {0x1ba8, 0x1ba9}, {0x1bab, 0x1bad},   {0x1be6, 0x1be6},
    {0x1be8, 0x1be9}, {0x1bed, 0x1bed}, {0x1bef, 0x1bf1}, {0x1c2c, 0x1c33},   {0x1c36, 0x1c37},
    {0x1cd0, 0x1cd2}, {0x1cd4, 0x1ce0}, {0x1ce2, 0x1ce8}, {0x1ced, 0x1ced},   {0x1cf4, 0x1cf4},
    {0x1cf8, 0x1cf9}, {0x1dc0, 0x1dff}, {0x200b, 0x200d}, {0x2060, 0x2060},   {0x20d0, 0x20f0},
    {0x2cef, 0x2cf1}, {0x2d7f, 0x2d7f}, {0x2de0, 0x2dff}, {0x302a, 0x302d},   {0x3099, 0x309a},
    {0xa66f, 0xa672}, {0xa674, 0xa67d}, {0xa69e, 0xa69f}, {0xa6f0, 0xa6f1},   {0xa802, 0xa802},
    {0xa806, 0xa806}, {0xa80b, 0xa80b}, {0xa825, 0xa826}, {0xa82c, 0xa82c},   {0xa8c4, 0xa8c5},
    {0xa8e0, 0xa8f1}, {0xa8ff, 0xa8ff}, {0xa926, 0xa92d}, {0xa947, 0xa951},   {0xa980, 0xa982},
    {0xa9b3, 0xa9b3}, {0xa9b6, 0xa9b9}, {0xa9bc, 0xa9bd}, {0xa9e5, 0xa9e5},   {0xaa29, 0xaa2e},
    {0xaa31, 0xaa32}, {0xaa35, 0xaa36}, {0xaa43, 0xaa43}, {0xaa4c, 0xaa4c},   {0xaa7c, 0xaa7c},
    {0xaab0, 0xaab0}, {0xaab2, 0xaab4}, {0xaab7, 0xaab8}, {0xaabe, 0xaabf},   {0xaac1, 0xaac1},
    {0xaaec, 0xaaed}, {0xaaf6, 0xaaf6}, {0xabe5, 0xabe5}, {0xabe8, 0xabe8},   {0xabed, 0xabed},
    {0xfb1e, 0xfb1e}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
};

/* What takes two columns. Unicode 14.0, EastAsianWidth.txt: W and F. */
static const code_range WIDE[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x23f0, 0x23f0},   {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267f, 0x267f},   {0x2693, 0x2693},   {0x26a1, 0x26a1},
    {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},   {0x26ce, 0x26ce},
    {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
    {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},
    {0x2728, 0x2728},   {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27b0, 0x27b0},   {0x27bf, 0x27bf},
    {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},   {0x2e80, 0x3029},
    {0x302e, 0x303e},   {0x3041, 0x3096},   {0x309b, 0x3247},   {0x3250, 0x4dbf},
    {0x4e00, 0xa4c6},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfad9},
    {0xfe10, 0xfe19},   {0xfe30, 0xfe6b},   {0xff01, 0xff60},   {0xffe0, 0xffe6},
    {0x16fe0, 0x16fe3}, {0x16ff0, 0x1b2fb}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf},
    {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335},
    {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3},
    {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440},
    {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f54e}, {0x1f550, 0x1f567},
    {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f},
    {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6df},
    {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7f0}, {0x1f90c, 0x1f93a},
    {0x1f93c, 0x1f945}, {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faf6}, {0x20000, 0x3fffd},
};

static bool is_in(uint32_t code, const code_range *range, size_t count)
{
    size_t low = 0;
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        if (code < range[middle].first)
            count = middle;
        else if (code > range[middle].last)
            low = middle + 1;
        else
            return true;
    }
    return false;
}

size_t code_point_columns(uint32_t code)
{
    if (code < 0x300) /* letters of the west, most of what is asked for */
        return 1;
    if (is_in(code, JOINING, sizeof JOINING / sizeof JOINING[0]))
        return 0;
    return is_in(code, WIDE, sizeof WIDE / sizeof WIDE[0]) ? 2 : 1;
}

/* ---- texts ---- */

glyph glyph_at(const char *at, const char *end)
{
    utf8_character one = utf8_read(at, end);
    if (one.bytes == 0 || utf8_is_order(one.code))
        return (glyph){.bytes = size_larger(one.bytes, 1), .columns = 1};
    return (glyph){.bytes = one.bytes, .columns = code_point_columns(one.code), .is_safe = true};
}

const char *escape_find(const escape *escapes, char c)
{
    while (escapes->character != '\0' && escapes->character != c)
        escapes++;
    return escapes->as;
}

void display_add_escaped(text *out, const char *string, size_t length, const escape *escapes)
{
    const char *end = string + length, *plain = string;
    while (string < end) {
        glyph g = glyph_at(string, end);
        const char *as = g.is_safe ? escape_find(escapes, *string) : "?";
        if (as != NULL) {
            text_add(out, plain, (size_t)(string - plain));
            text_add_string(out, as);
            plain = string + g.bytes;
        }
        string += g.bytes;
    }
    text_add(out, plain, (size_t)(end - plain));
}

void display_add(text *out, const char *string, size_t length)
{
    display_add_escaped(out, string, length, &(escape){'\0', NULL});
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

size_t display_columns(const char *string, size_t length)
{
    size_t columns;
    fitting_bytes(string, length, SIZE_MAX / 8, &columns);
    return columns;
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
    /* A word longer than the line; one character at least, so that there is an end. */
    if (line == 0)
        return size_larger(bytes, glyph_at(string, string + length).bytes);
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
