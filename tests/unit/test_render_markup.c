/* What formulas, words and colours become in Markdown, LaTeX and HTML. */
#include "unit.h"

#include "render/expression.h"
#include "render/html_parts.h"
#include "render_parts.h"

#include <math.h>
#include <string.h>

static void add_plain(text *out, const char *words, size_t length)
{
    text_add(out, words, length);
}

static void check_math(unit *u, const char *formula, const char *expected)
{
    text out = {0};
    math_add(&out, formula, strlen(formula), add_plain);
    CHECK_TEXT(u, text_string(&out), expected);
    text_free(&out);
}

static void check_formulas(unit *u)
{
    check_math(u, "scores[1,2] = q[1]·k[2]", "\\mathrm{scores}[1,2] = q[1]\\cdot k[2]");
    check_math(u, "row_max[i] = maxⱼ masked[i,j]",
               "\\mathrm{row\\_max}[i] = \\max _j \\mathrm{masked}[i,j]");
    check_math(u, "Wq·d_k + bo", "W_{q}\\cdot d_{k} + b_{o}");
    check_math(u, "1/√d_k", "1/\\sqrt{d_{k}}");
    check_math(u, "√(a + (b))", "\\sqrt{a + (b)}");
    check_math(u, "1 / √((a²\n + b²)/2\n + c)\n + d", "1 / \\sqrt{(a^2 + b^2)/2 + c} + d");
    check_math(u, "base^(−2p/8)", "\\mathrm{base}^{-2p/8}");
    check_math(u, "6.0337e-06 − inf", "6.0337\\cdot 10^{-6} - \\infty");
    check_math(u, "low-dimensional heads: 3", "\\text{low-dimensional}\\ \\mathrm{heads}:\\ 3");
    check_math(u, "a, or b", "a,\\ \\text{or}\\ b");
    check_math(u, "p and p + 1, p from 0", "p\\ \\text{and}\\ p + 1,\\ p\\ \\text{from}\\ 0");
    check_math(u, "a, or -inf", "a,\\ \\text{or}\\ {-\\infty}");
    check_math(u, "j and j′ are", "j\\ \\text{and}\\ j'\\ \\mathrm{are}");
    check_math(u, "ln row_sum", "\\ln  \\mathrm{row\\_sum}");
}

/* What a layer norm is called is not a logarithm. */
static void check_names(unit *u)
{
    check_math(u, "ln1[i] = x[i]·gain", "\\mathrm{ln1}[i] = x[i]\\cdot \\mathrm{gain}");
    check_math(u, "ln2[1]·w1[·,1]", "\\mathrm{ln2}[1]\\cdot w_{1}[\\cdot ,1]");
    check_math(u, "ln_f + ln_e + ln3", "\\mathrm{ln\\_f} + \\mathrm{ln\\_e} + \\mathrm{ln3}");
    check_math(u, "ffn.output[3,1]", "\\mathrm{ffn}{.}\\mathrm{output}[3,1]");
    check_math(u, "10000^(−2i/m)", "10000^{-2i/m}");
}

/* The user's own words may stand in a worked line: none of them is an order. */
static void check_orders(unit *u)
{
    check_math(u, "\\input{x}$%&#~_", "\\backslash \\mathrm{input}\\{x\\}\\$\\%\\&\\#\\sim \\_");
    check_math(u, "猫が 1", "\\text{猫が}\\ 1");
    check_math(u, "(unclosed √(", "(\\mathrm{unclosed} \\sqrt{}");
}

static void check_words(unit *u)
{
    text out = {0};
    html_add_words(&out, "<a href=\"x\">&amp; \x1b[31m\xff é");
    CHECK_TEXT(u, text_string(&out), "&lt;a href=&quot;x&quot;&gt;&amp;amp; ?[31m? é");
    text_free(&out);
}

static void check_color(unit *u, double value, double greatest, bool is_share, const char *expected)
{
    CHECK_TEXT(u, html_color_of(value, greatest, is_share).class_name, expected);
}

/* Eighths of the greatest magnitude, rounded; the least that is not 0 has a colour too. */
static void check_colors(unit *u)
{
    check_color(u, 8, 8, false, "p8");
    check_color(u, 4, 8, false, "p4");
    check_color(u, -8, 8, false, "n8");
    check_color(u, 0.001, 8, false, "p1");
    check_color(u, 0, 8, false, "");
    check_color(u, 0, 0, false, "");
    check_color(u, -INFINITY, 8, false, "");
    check_color(u, 1, 8, true, "w8");
    check_color(u, 0.25, 8, true, "w2");
    static const double NUMBERS[] = {1, -3, INFINITY, NAN};
    tensor matrix = part_matrix(2, 2, NUMBERS);
    CHECK(u, html_greatest(&matrix) == 3);
}

UNIT(render_markup)
{
    check_formulas(u);
    check_names(u);
    check_orders(u);
    check_words(u);
    check_colors(u);
}
