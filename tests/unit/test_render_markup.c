/* What formulas, words and colours become in Markdown, LaTeX and HTML. */
#include "unit.h"

#include "render/expression.h"
#include "render/html.h"
#include "render/html_items.h"
#include "render/html_picture.h"
#include "render/html_words.h"
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
    check_math(u, "Wq·d_k + bo", "W_{Q}\\cdot d_{k} + b_{O}");
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
    check_math(u, "\x1b", "\\text{\x1b}");
    check_math(u, "猫·2", "\\text{猫}\\cdot 2");
}

/* Where a name, a number or a root ends otherwise than most do. */
static void check_ends(unit *u)
{
    check_math(u, "x_1 + a-1 + a_", "x\\_1 + a-1 + a\\_");
    check_math(u, "1e+07·2e", "1\\cdot 10^{7}\\cdot 2e");
    check_math(u, "2e^x", "2e^{x}");
    check_math(u, "2√", "2\\sqrt{}");
    check_math(u, "2e-x", "2\\text{e-x}");
    check_math(u, " .5", " .5");
    check_math(u, "q[1].5", "q[1].5");
}

/* What stands after a part of a formula is not looked at. */
static void check_parts(unit *u)
{
    static const struct {
        const char *formula, *part, *expected;
    } PARTS[] = {{"2e-3", "2", "2"},        {"2e-3", "2e-", "2e-"},  {"a_b", "a_", "a\\_"},
                 {"√(b)", "√", "\\sqrt{}"}, {"2^(b)", "2^", "2^{}"}, {"q[1].b", "q[1].", "q[1]."}};
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++) {
        text out = {0};
        math_add_part(&out, PARTS[i].formula, 0, strlen(PARTS[i].part), NULL, 0, add_plain);
        CHECK_TEXT(u, text_string(&out), PARTS[i].expected);
        text_free(&out);
    }
}

/* A word of the user's is none of mathematics, also after a space; an empty one is nothing. */
static void check_spans(unit *u)
{
    static const char FORMULA[] = "sum to é, a[]";
    const math_span span[] = {{7, strlen("é")}, {13, 0}};
    text out = {0};
    math_add_part(&out, FORMULA, 0, strlen(FORMULA), span, 2, add_plain);
    CHECK_TEXT(u, text_string(&out), "\\mathrm{sum}\\ \\text{to}\\ \\text{é},\\ a[]");
    text_free(&out);
}

/* A letter with an index, an infinity, and what only begins as one of these does. */
static void check_page_math(unit *u)
{
    text out = {0};
    html_add_mathematics(&out, "Wq, bo, Wx, Wq2, Wq_1 and W; d_k, d_K, d_k2; inf, -inf, info");
    CHECK_TEXT(
        u, text_string(&out),
        "W<sub>Q</sub>, b<sub>O</sub>, Wx, Wq2, Wq_1 and W; d<sub>k</sub>, d_K, d_k2; ∞, −∞, "
        "info");
    text_free(&out);
}

static void check_words(unit *u)
{
    text out = {0};
    html_add_words(&out, "<a href=\"x\">&amp; \x1b[31m\xff é");
    CHECK_TEXT(u, text_string(&out), "&lt;a href=&quot;x&quot;&gt;&amp;amp; ?[31m? é");
    text_free(&out);
}

/* Eighths of the greatest magnitude, rounded; the least that is not 0 has a colour too. What is
 * shown decides: 1.49999 is 1.5. */
static void check_colors(unit *u)
{
    CHECK(u, html_step(8, 8, -1) == 8);
    CHECK(u, html_step(4, 8, -1) == 4);
    CHECK(u, html_step(-8, 8, -1) == -8);
    CHECK(u, html_step(0.001, 8, -1) == 1);
    CHECK(u, html_step(0, 8, -1) == 0);
    CHECK(u, html_step(0, 0, -1) == 0);
    CHECK(u, html_step(-INFINITY, 8, -1) == 0);
    CHECK(u, html_step(1.4999, 8, -1) == 1);
    CHECK(u, html_step(-1.49999, 8, -1) == -2);
    CHECK(u, html_step(0.004, 8, 2) == 0);
    static const double NUMBERS[] = {1, -3, INFINITY, NAN};
    tensor matrix = part_matrix(2, 2, NUMBERS);
    CHECK(u, html_greatest(&matrix, false, -1) == 3);
    CHECK(u, html_greatest(&matrix, true, -1) == 1);
}

/* A page of more maps, and a house of more rooms, than there are addresses for. */
static void check_no_room(unit *u)
{
    static char *words[] = {"scores"};
    static trace_step step = {.id = STEP_SCORES};
    const text_list exercise = {.item = words, .count = 1}, none = {0};
    static trace_map scores = {.step = STEP_SCORES, .has_origin = true};
    static trace_map *map = &scores;
    static trace_step *steps = &step;
    static trace_room only;
    only =
        (trace_room){.step = &steps, .steps = 1, .map = &map, .maps = 1, .first_map = SIZE_MAX / 4};
    trace_room *room = &only;
    trace t = {.exercise = &exercise, .room = &room, .rooms = 1};
    const trace house = {.room = &room, .rooms = SIZE_MAX};
    render_options how = part_options();
    how.blank = &none;
    err e = {0};
    sink to;
    sink_open_memory(&to);
    CHECK(u, !html_render(&t, &how, &to, &e) && e.is_set);
    html_page page = {.out = sink_text(&to), .room = &only, .whole = &house, .how = &how};
    html_add_house(&page);
    CHECK(u, sink_text(&to)->failed);
    sink_discard(&to);
}

UNIT(render_markup)
{
    check_formulas(u);
    check_names(u);
    check_orders(u);
    check_ends(u);
    check_parts(u);
    check_spans(u);
    check_words(u);
    check_page_math(u);
    check_colors(u);
    check_no_room(u);
}
