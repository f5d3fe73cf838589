#include "render/markdown.h"

#include "render/display.h"
#include "render/markup.h"

#include <string.h>

/* ---- words ---- */

typedef struct escape {
    char character;
    const char *as;
} escape;

/* What may mark something anywhere in a line (CommonMark 0.31, section 2.4 and chapter 6; GFM: | in
 * tables, ~; GitHub: $, : of an address, @). */
static const escape ESCAPES[] = {
    {'\\', "\\\\"},
    {'`', "\\`"},
    {'*', "\\*"},
    {'_', "\\_"},
    {'[', "\\["},
    {']', "\\]"},
    {'<', "&lt;"},
    {'>', "&gt;"},
    {'&', "&amp;"},
    {'|', "\\|"},
    {'~', "\\~"},
    {'!', "\\!"},
    {'$', "<span>$</span>"},
    {'@', "<span>@</span>"},
};

static const char *find_escape(const escape *escapes, size_t count, char c)
{
    for (size_t i = 0; i < count; i++) {
        if (escapes[i].character == c)
            return escapes[i].as;
    }
    return NULL;
}

static const char *escape_of(char c)
{
    return find_escape(ESCAPES, sizeof ESCAPES / sizeof ESCAPES[0], c);
}

/* What makes a heading, a list, a quotation, or code of a line that begins so: passed over with a
 * backslash, or, of spaces, left out. */
static const char *add_beginning(text *out, const char *words)
{
    words += strspn(words, " ");
    size_t digits = strspn(words, "0123456789");
    text_add(out, words, digits);
    words += digits;
    bool is_list = digits > 0 && (*words == '.' || *words == ')') && (unsigned char)words[1] <= ' ';
    bool is_mark = digits == 0 && *words != '\0' && strchr("#+-=:", *words) != NULL;
    text_add_string(out, is_list || is_mark ? "\\" : "");
    return words;
}

/* "http://" and "www." become links without any mark. */
static bool begins_address(const char *at)
{
    return strncmp(at, "://", 3) == 0 || strncmp(at, ".", 1) == 0;
}

static void add_words(text *out, const char *words)
{
    bool is_line_begin = out->length == 0 || out->data[out->length - 1] == '\n';
    const char *first = words, *end = words + strlen(words);
    if (is_line_begin)
        words = add_beginning(out, words);
    while (words < end) {
        glyph g = glyph_at(words, end);
        const char *as = escape_of(*words);
        bool is_www = words - first >= 3 && memcmp(words - 3, "www", 3) == 0;
        if (as != NULL)
            text_add_string(out, as);
        else if (begins_address(words) && (*words == ':' || is_www))
            text_add_format(out, "<span>%c</span>", *words);
        else
            text_add(out, g.is_safe ? words : "?", g.is_safe ? g.bytes : 1);
        words += g.bytes;
    }
}

/* Inside \text{…}, what is an order there stands outside of it: KaTeX and the two ways in which
 * MathJax reads a text agree on no escape, but on these in mathematics. */
static const escape MATH_ESCAPES[] = {
    {'\\', "}\\backslash\\text{"}, {'{', "}\\{\\text{"}, {'}', "}\\}\\text{"},
    {'$', "}\\$\\text{"},          {'&', "}\\&\\text{"}, {'#', "}\\#\\text{"},
    {'%', "}\\%\\text{"},          {'_', "}\\_\\text{"}, {'~', "}{\\sim}\\text{"},
    {'^', "}{}^{\\wedge}\\text{"},
};

static void add_math_words(text *out, const char *words, size_t length)
{
    for (const char *end = words + length; words < end;) {
        glyph g = glyph_at(words, end);
        const char *as =
            find_escape(MATH_ESCAPES, sizeof MATH_ESCAPES / sizeof MATH_ESCAPES[0], *words);
        if (as != NULL)
            text_add_string(out, as);
        else
            text_add(out, g.is_safe ? words : "?", g.is_safe ? g.bytes : 1);
        words += g.bytes;
    }
}

/* ---- tables ---- */

static void begin_table(text *out, const char *columns)
{
    (void)out;
    (void)columns; /* the rule says them */
}

static void add_rule(text *out, const char *columns)
{
    text_add_string(out, "|");
    for (; *columns != '\0'; columns++)
        text_add_string(out, *columns == 'r' ? "--:|" : ":--|");
    text_add_string(out, "\n");
}

/* GitHub and GitLab know $`…`$, in which no backslash or underscore is a mark. */
static const markup MARKDOWN = {
    .add_words = add_words,
    .math_words = add_math_words,
    .heading_before = {"# ", "## "},
    .heading_after = "\n\n",
    .strong_before = "**",
    .strong_after = "**",
    .math_before = "```math\n\\begin{aligned}",
    .math_after = "\n\\end{aligned}\n```\n\n",
    .table_begin = begin_table,
    .rule = add_rule,
    .inline_before = "$`",
    .inline_after = "`$",
    .row_before = "| ",
    .cell_between = " | ",
    .row_after = " |\n",
    .table_after = "\n",
    .number_before = "",
    .number_after = "",
};

bool markdown_render(const trace *t, const render_options *how, sink *to, err *e)
{
    return markup_render(t, how, &MARKDOWN, to, e);
}
