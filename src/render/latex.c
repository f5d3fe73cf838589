/* A trace as a LaTeX document that compiles as it is, with amsmath and booktabs only: an article,
 * or slides by beamer. */
#include "render/markup.h"

#include "base/utf8.h"

#include <string.h>

/* ---- words ---- */

/* What is an order, or a ligature, or not in the usual fonts; a bracket or a star after the end of
 * a row would be its option. */
static const escape ESCAPES[] = {
    {'\\', "\\textbackslash{}"},
    {'{', "\\{"},
    {'}', "\\}"},
    {'$', "\\$"},
    {'&', "\\&"},
    {'#', "\\#"},
    {'%', "\\%"},
    {'_', "\\_"},
    {'~', "\\textasciitilde{}"},
    {'^', "\\textasciicircum{}"},
    {'<', "$<$"},
    {'>', "$>$"},
    {'|', "$|$"},
    {'"', "{\\ttfamily\"}"},
    {'`', "{`}"},
    {'[', "{[}"},
    {'*', "{*}"},
    {'\0', NULL},
};

/* LaTeX reads UTF-8 by itself, and sets the letters of Latin-1 (U+00C0 to U+00FF) by its first
 * fonts; not ×, ÷, eth and thorn. */
static bool is_latin_letter(const char *at, size_t bytes)
{
    unsigned char second = bytes == 2 && at[0] == '\xc3' ? (unsigned char)at[1] : 0;
    return second != 0 && second != 0x97 && second != 0xb7 && (second & 0x9f) != 0x90 &&
           (second & 0x9f) != 0x9e;
}

static void add_math_words(text *out, const char *words, size_t length)
{
    static const char INFINITE[] = "-inf";
    for (const char *end = words + length; words < end;) {
        glyph g = glyph_at(words, end);
        size_t left = (size_t)(end - words), bytes = strlen(INFINITE), symbol_bytes;
        const char *as = escape_find(ESCAPES, *words), *symbol = math_symbol(words, &symbol_bytes);
        if (left >= bytes && memcmp(words, INFINITE, bytes) == 0 &&
            (left == bytes || strchr(" ,.;:)", words[bytes]) != NULL)) {
            /* As a word of its own it is the number that it is in formulas. */
            text_add_string(out, "$-\\infty$");
            words += bytes;
            continue;
        }
        if (!g.is_safe)
            text_add_string(out, "?");
        else if (as != NULL)
            text_add_string(out, as);
        else if (symbol != NULL)
            text_add_format(out, "$%s$", symbol);
        else if (g.bytes == 1 || is_latin_letter(words, g.bytes))
            text_add(out, words, g.bytes);
        else /* by its number, as Unicode writes it: no font of every machine has it */
            text_add_format(out, "{\\scriptsize U+%04lX}",
                            (unsigned long)utf8_read(words, end).code);
        /* Two hyphens would become a dash. */
        bool is_pair = *words == '-' && words + 1 < end && words[1] == '-';
        text_add_string(out, is_pair ? "{}" : "");
        words += g.bytes;
    }
}

static void add_words(text *out, const struct dialect *in, const char *words, size_t length)
{
    (void)in;
    add_math_words(out, words, length);
}

/* ---- the language ---- */

/* A digit is 5 points wide, and the page 455. */
enum { MOST_CHARACTERS = 78 };

/* A code point takes as much room as five digits. */
static size_t characters_of(const char *words)
{
    size_t count = 0;
    for (const char *end = words + strlen(words); words < end;) {
        size_t bytes = glyph_at(words, end).bytes;
        count += bytes == 1 || is_latin_letter(words, bytes) ? 1 : 5;
        words += bytes;
    }
    return count;
}

#define TABLE_AFTER "\\bottomrule\n\\end{tabular}\n\\end{center}\n"

/* What the two have in common. */
#define MARKS                                                                                      \
    .add_words = add_words, .math_words = add_math_words, .strong_before = "\\textbf{",            \
    .strong_after = "}", .math_before = "\\begin{align*}", .math_after = "\n\\end{align*}\n\n",    \
    .columns_before = "\\begin{center}\n\\begin{tabular}{", .columns_after = "}\n\\toprule\n",     \
    .rule = "\\midrule\n", .inline_before = "$", .inline_after = "$", .row_before = "",            \
    .cell_between = " & ", .row_after = " \\\\\n", .numbers_are_math = true,                       \
    .most_characters = MOST_CHARACTERS, .characters = characters_of

static const markup LATEX = {
    MARKS,
    .heading_before = {"\\section*{", "\\subsection*{"},
    .heading_after = "}\n\n",
    .table_after = TABLE_AFTER "\n",
};

/* A step is a frame, which goes on on as many slides as it needs, best after a table. A slide is
 * filled to four fifths: beamer does not count the title, and a slide would be too full. */
static const markup BEAMER = {
    MARKS,
    .heading_before = {"\\begin{frame}[t,allowframebreaks=0.8]{",
                       "\\begin{frame}[t,allowframebreaks=0.8]{"},
    .heading_after = "}\n\n",
    .table_after = TABLE_AFTER "\\pagebreak[2]\n\n",
    .frame_after = "\\end{frame}\n\n",
    .most_rows = 12,
};

/* Wide matrices have more columns than amsmath's ten, formulas stand below an empty line already,
 * and long derivations go on on the next page. */
#define PREAMBLE                                                                                   \
    "\\usepackage{amsmath}\n"                                                                      \
    "\\usepackage{booktabs}\n"                                                                     \
    "\\setlength{\\parindent}{0pt}\n"                                                              \
    "\\setcounter{MaxMatrixCols}{64}\n"                                                            \
    "\\AtBeginDocument{\\setlength{\\abovedisplayskip}{2pt}}\n"                                    \
    "\\allowdisplaybreaks\n"                                                                       \
    "\\sloppy\n"

static const char ARTICLE[] =
    "\\documentclass[a4paper]{article}\n" PREAMBLE "\\setlength{\\parskip}{6pt plus 2pt}\n"
    "\\setlength{\\oddsidemargin}{0pt}\n"
    "\\setlength{\\textwidth}{160mm}\n"
    "\\setlength{\\topmargin}{-10mm}\n"
    "\\setlength{\\textheight}{235mm}\n";

/* Letters of 8 points on a slide of 90 millimetres are as high as 34 pixels of 1080, and a line
 * holds what a line of the article does. */
static const char SLIDES[] = "\\documentclass[8pt,aspectratio=169]{beamer}\n"
                             "\\usefonttheme[onlymath]{serif}\n"
                             "\\setbeamertemplate{navigation symbols}{}\n"
                             "\\setbeamertemplate{frametitle continuation}{}\n" PREAMBLE
                             "\\renewcommand{\\arraystretch}{0.85}\n"
                             "\\setlength{\\parskip}{3pt plus 2pt}\n";

static bool render(const trace *t, const render_options *how, const char *preamble,
                   const markup *marks, sink *to, err *e)
{
    text_add_format(sink_text(to), "%s\\begin{document}\n\n", preamble);
    if (!markup_render(t, how, marks, to, e))
        return false;
    text_add_string(sink_text(to), "\n\\end{document}\n");
    return sink_spill(to, e);
}

bool latex_render(const trace *t, const render_options *how, sink *to, err *e)
{
    return render(t, how, ARTICLE, &LATEX, to, e);
}

bool beamer_render(const trace *t, const render_options *how, sink *to, err *e)
{
    return render(t, how, SLIDES, &BEAMER, to, e);
}
