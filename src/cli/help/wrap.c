#include "cli/help/wrap.h"

#include <string.h>

static size_t columns(const char *bytes, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)bytes[i] & 0xC0) != 0x80; /* all but continuation bytes */
    return count;
}

size_t wrap_columns(const char *line)
{
    return columns(line, strlen(line));
}

/* A line being filled: `column` is where it stands, is_fresh until a word is on it. */
typedef struct line {
    text *out;
    size_t column, indent, width;
    bool is_fresh;
} line;

static void end_line(line *l)
{
    text_add_string(l->out, "\n");
    l->column = 0;
    l->is_fresh = true;
}

static void add_word(line *l, const char *word, size_t length)
{
    size_t wide = columns(word, length);
    if (!l->is_fresh && l->column + 1 + wide > l->width)
        end_line(l);
    size_t gap = l->is_fresh ? l->indent - l->column : 1;
    text_add_repeated(l->out, " ", gap);
    text_add(l->out, word, length);
    l->column += gap + wide;
    l->is_fresh = false;
}

void wrap_add(text *out, const char *words, size_t column, size_t indent, size_t width)
{
    line l = {out, column, indent, width, true};
    if (column > 0 && column >= indent)
        end_line(&l);
    while (*words != '\0') {
        size_t length = strcspn(words, " \n");
        if (length > 0)
            add_word(&l, words, length);
        words += length;
        if (*words == '\n')
            end_line(&l);
        words += *words != '\0';
    }
    end_line(&l);
}

void wrap_add_text(text *out, text *words, size_t column, size_t indent, size_t width)
{
    wrap_add(out, text_string(words), column, indent, width);
    out->failed = out->failed || words->failed;
    text_free(words);
}
