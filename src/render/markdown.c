/* A trace as Markdown with tables and mathematics, in a dialect: GitHub's, with mathematics in
 * fences, which keep Markdown out of it, or Pandoc's, with $…$, which Jupyter's has too; and as a
 * notebook of Markdown. */
#include "render/markup.h"

#include "io/json_write.h"
#include "render/python_code.h"

#include <string.h>

/* ---- words ---- */

/* What may mark something anywhere in a line (CommonMark 0.31, section 2.4 and chapter 6; GFM: | in
 * tables, ~). */
static const escape ESCAPES[] = {
    {'\\', "\\\\"}, {'`', "\\`"},  {'*', "\\*"},  {'_', "\\_"},   {'[', "\\["},
    {']', "\\]"},   {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'|', "\\|"},
    {'~', "\\~"},   {'!', "\\!"},  {'\0', NULL},
};

/* Who reads it, and what marks something there besides. */
typedef struct dialect {
    const escape *escapes;             /* that come before ESCAPES */
    const char *runs;                  /* characters that are others where two stand together */
    const char *beginnings, *numerals; /* what begins a block; and, before . or ), a list's item */
} dialect;

static const char DIGITS[] = "0123456789";

/* $ and @ are marks, and : of an address. */
static const dialect GITHUB = {
    .escapes = (const escape[]){{'$', "<span>$</span>"}, {'@', "<span>@</span>"}, {'\0', NULL}},
    .runs = "",
    .beginnings = "#+-=:",
    .numerals = DIGITS,
};

/* Jupyter looks for $ and \\( before it reads Markdown, and MathJax afterwards in what has come of
 * it, each within one element. */
static const dialect JUPYTER = {
    .escapes = (const escape[]){{'$', "<span>&#36;</span>"},
                                {'\\', "<span>&#92;</span>"},
                                {'@', "<span>@</span>"},
                                {'\0', NULL}},
    .runs = "",
    .beginnings = "#+-=:",
    .numerals = DIGITS,
};

/* Attributes, citations, raised words, dashes for --, and lists from a) or (i). */
static const dialect PANDOC = {
    .escapes = (const escape[]){{'$', "\\$"},
                                {'@', "\\@"},
                                {'^', "\\^"},
                                {'{', "\\{"},
                                {'"', "\\\""},
                                {'\'', "\\'"},
                                {'\0', NULL}},
    .runs = "-.",
    .beginnings = "#+-=:%(",
    .numerals = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
};

static void add_words(text *out, const dialect *in, const char *words, size_t length)
{
    bool is_line_begin = out->length == 0 || out->data[out->length - 1] == '\n';
    const char *first = words, *end = words + length;
    if (is_line_begin) {
        /* What makes a heading, a list, a quotation, or code of a line that begins so: passed over
         * with a backslash, or, of spaces, left out. */
        words += strspn(words, " ");
        size_t digits = strspn(words, in->numerals);
        text_add(out, words, digits);
        words += digits;
        bool is_list =
            digits > 0 && (*words == '.' || *words == ')') && (unsigned char)words[1] <= ' ';
        bool is_mark = digits == 0 && *words != '\0' && strchr(in->beginnings, *words) != NULL;
        text_add_string(out, is_list || is_mark ? "\\" : "");
    }
    while (words < end) {
        glyph g = glyph_at(words, end);
        const char *own = escape_find(in->escapes, *words);
        const char *as = own != NULL ? own : escape_find(ESCAPES, *words);
        /* "http://" and "www." become links without any mark. */
        bool is_www = *words == '.' && words - first >= 3 && memcmp(words - 3, "www", 3) == 0;
        bool is_run = *words == words[1] && strchr(in->runs, *words) != NULL;
        if (as != NULL)
            text_add_string(out, as);
        else if (is_www || strncmp(words, "://", 3) == 0)
            text_add_format(out, "<span>%c</span>", *words);
        else {
            text_add_string(out, is_run ? "\\" : "");
            text_add(out, g.is_safe ? words : "?", g.is_safe ? g.bytes : 1);
        }
        words += g.bytes;
    }
}

/* Inside \text{…}, what is an order there stands outside of it: KaTeX and the two ways in which
 * MathJax reads a text agree on no escape, but on these in mathematics. */
static const escape MATH_ESCAPES[] = {
    {'\\', "}\\backslash\\text{"}, {'{', "}\\{\\text{"}, {'}', "}\\}\\text{"},
    {'$', "}\\$\\text{"},          {'&', "}\\&\\text{"}, {'#', "}\\#\\text{"},
    {'%', "}\\%\\text{"},          {'_', "}\\_\\text{"}, {'~', "}{\\sim}\\text{"},
    {'^', "}{}^{\\wedge}\\text{"}, {'\0', NULL},
};

static void add_math_words(text *out, const char *words, size_t length)
{
    display_add_escaped(out, words, length, MATH_ESCAPES);
}

/* ---- the dialects ---- */

static markup marks_of(const dialect *in)
{
    return (markup){.add_words = add_words,
                    .dialect = in,
                    .math_words = add_math_words,
                    .heading_before = {"# ", "## "},
                    .heading_after = "\n\n",
                    .strong_before = "**",
                    .strong_after = "**",
                    .math_before = "$$\n\\begin{aligned}",
                    .math_after = "\n\\end{aligned}\n$$\n\n",
                    .inline_before = "$",
                    .inline_after = "$",
                    .row_before = "| ",
                    .cell_between = " | ",
                    .row_after = " |\n",
                    .table_after = "\n"};
}

/* GitHub and GitLab know $`…`$, in which no backslash or underscore is a mark. */
bool markdown_render(const trace *t, const render_options *how, sink *to, err *e)
{
    markup marks = marks_of(&GITHUB);
    marks.math_before = "```math\n\\begin{aligned}";
    marks.math_after = "\n\\end{aligned}\n```\n\n";
    marks.inline_before = "$`";
    marks.inline_after = "`$";
    return markup_render(t, how, &marks, to, e);
}

bool markdown_render_pandoc(const trace *t, const render_options *how, sink *to, err *e)
{
    markup marks = marks_of(&PANDOC);
    return markup_render(t, how, &marks, to, e);
}

/* ---- a notebook ---- */

typedef enum cell_kind { CELL_MARKDOWN, CELL_CODE } cell_kind;

/* Cell 0 is the title, or of code what the others call; the others are steps. A string a line, each
 * with its line break but the last. */
static void add_cell(text *out, cell_kind kind, size_t number, const text *lines)
{
    static const char *const KIND[] = {"markdown", "code"}, *const ID[] = {"cell", "code"};
    text line = {0};
    const char *at = text_string(lines), *end = at + lines->length;
    text_add_format(out, "  {\n   \"cell_type\": \"%s\",\n", KIND[kind]);
    text_add_string(out, kind == CELL_CODE ? "   \"execution_count\": null,\n" : "");
    text_add_format(out, "   \"id\": \"%s-%zu\",\n   \"metadata\": {},\n", ID[kind], number);
    text_add_string(out, kind == CELL_CODE ? "   \"outputs\": [],\n" : "");
    text_add_string(out, "   \"source\": [\n");
    while (end > at && end[-1] == '\n')
        end--;
    while (at < end) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        next = next == NULL ? end : next + 1;
        text_clear(&line);
        text_add(&line, at, (size_t)(next - at));
        text_add_string(out, "    ");
        json_string_write(out, text_string(&line));
        text_add_string(out, next < end ? ",\n" : "\n");
        at = next;
    }
    out->failed = out->failed || lines->failed;
    text_close(&line, out);
    text_add_string(out, "   ]\n  }");
}

/* A cell of words and one of code a step, in nbformat 4.5: what Jupyter and Colab show with its
 * mathematics, and run from top to bottom. Laid out as Jupyter saves it. */
bool notebook_render(const trace *t, const render_options *how, sink *to, err *e)
{
    static const char END[] =
        "\n ],\n \"metadata\": {\n  \"kernelspec\": {\n   \"display_name\": \"Python 3\",\n   "
        "\"language\": \"python\",\n   \"name\": \"python3\"\n  },\n  \"language_info\": {\n   "
        "\"name\": \"python\"\n  }\n },\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n";
    sink cell;
    python_code code;
    text program = {0};
    sink_open_memory(&cell);
    const markup marks = marks_of(&JUPYTER);
    text *out = sink_text(to), *markdown = sink_text(&cell);
    markup_page p = {.to = &cell, .out = markdown, .marks = &marks, .how = how};
    bool done = python_begin(&code, t, how, e),
         is_written = done && t->steps > 0 && python_is_written(&code);
    text_add_string(out, "{\n \"cells\": [\n");
    markup_add_beginning(&p, t);
    if (markdown->length > 0)
        add_cell(out, CELL_MARKDOWN, 0, markdown);
    bool is_first = markdown->length == 0;
    if (is_written) {
        text_add_string(out, is_first ? "" : ",\n");
        python_add_beginning(&program);
        add_cell(out, CELL_CODE, 0, &program);
        is_first = false;
    }
    for (size_t i = 0, number = 1; i < t->rooms; i++) {
        const trace_room *room = t->room[i];
        for (size_t j = 0; j < room->steps && done; j++, number++) {
            text_add_string(out, is_first ? "" : ",\n");
            text_clear(markdown);
            markup_add_step(&p, room->step[j], number, e);
            add_cell(out, CELL_MARKDOWN, number, markdown); /* fails where the step did */
            is_first = false;
            text_clear(&program);
            if (is_written)
                python_add_step(&code, room, room->step[j], &program);
            if (program.length > 0) {
                text_add_string(out, ",\n");
                add_cell(out, CELL_CODE, number, &program);
            }
            done = sink_spill(to, e);
        }
    }
    text_add_string(out, END);
    python_end(&code);
    text_free(&program);
    sink_discard(&cell);
    return done;
}
