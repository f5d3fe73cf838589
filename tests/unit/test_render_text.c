/* The page: title, notes, steps, and what stands between their parts. */
#include "unit.h"

#include "render/renderer.h"
#include "render/text_items.h"
#include "render_parts.h"

static const double Q[] = {1, 0, 2}, K[] = {4, 4, 0}, FOUR = 4;

static bool render(const trace *t, const render_options *how, text *out)
{
    err e = {0};
    sink to;
    const renderer *first = (const renderer *)(const void *)RENDERERS.first;
    sink_open_memory(&to);
    bool done = first->render(t, how, &to, &e);
    text_add_string(out, text_string(sink_text(&to)));
    sink_discard(&to);
    return done;
}

static void check_page(unit *u)
{
    trace_item worked = {.kind = TRACE_LINE, .op = OP_DOT, .left = "scores[1,2]"};
    worked.a = part_vector(3, Q);
    worked.b = part_vector(3, K);
    worked.result = part_number(&FOUR);
    trace_item items[] = {
        {.kind = TRACE_SENTENCE, .text = "Queries meet keys, one pair after the other."},
        {.kind = TRACE_SENTENCE, .text = "Large is strong."},
        {.kind = TRACE_FORMULA, .text = "q[i]·k[j] = Σ q[i,p]·k[j,p]"},
        {.kind = TRACE_FORMULA, .text = "scores[i,j] = q[i]·k[j]"},
        worked,
        worked,
        {.kind = TRACE_SENTENCE, .text = "That's all."},
    };
    const trace_step scores = {.id = STEP_SCORES, .name = "scores", .item = items, .count = 7},
                     mask = {.id = STEP_MASK, .name = "mask", .item = items + 6, .count = 1};
    const trace_step *steps[] = {&scores, &mask};
    trace t = {
        .name = "001", .title = "step by step", .notes = "From a seed.", .step = steps, .steps = 2};
    render_options how = part_options();
    how.width = 44;
    text out = {0};
    CHECK(u, render(&t, &how, &out));
    CHECK_TEXT(u, text_string(&out),
               "001: step by step\n"
               "═════════════════\n"
               "\n"
               "From a seed.\n"
               "\n"
               "1. scores ──────────────────────────────────\n"
               "\n"
               "  Queries meet keys, one pair after the\n"
               "  other.\n"
               "  Large is strong.\n"
               "\n"
               "    q[i]·k[j] = Σ q[i,p]·k[j,p]\n"
               "    scores[i,j] = q[i]·k[j]\n"
               "    scores[1,2] = 1·4 + 0·4 + 2·0 = 4\n"
               "    scores[1,2] = 1·4 + 0·4 + 2·0 = 4\n"
               "\n"
               "  That's all.\n"
               "\n"
               "2. mask ────────────────────────────────────\n"
               "\n"
               "  That's all.\n");
    text_free(&out);
}

static void check_titles(unit *u)
{
    static const struct {
        const char *name, *title, *wanted;
    } ROWS[] = {
        {NULL, NULL, ""},
        {"001", NULL, "001\n═══\n"},
        {NULL, "Title", "Title\n═════\n"},
        {"a\033[2J", "b", "a?[2J: b\n════════\n"},
    };
    render_options how = part_options();
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        trace t = {.name = ROWS[i].name, .title = ROWS[i].title};
        text out = {0};
        CHECK(u, render(&t, &how, &out));
        CHECK_TEXT(u, text_string(&out), ROWS[i].wanted);
        text_free(&out);
    }
}

/* Bold begins and ends inside the lines of headings. */
static void check_color(unit *u)
{
    const trace_step sum = {.id = STEP_SUM, .name = "sum"}, *step = &sum;
    trace t = {.name = "x", .step = &step, .steps = 1};
    render_options how = part_options();
    how.width = 40;
    how.color = true;
    text out = {0};
    CHECK(u, render(&t, &how, &out));
    CHECK_TEXT(u, text_string(&out),
               "\033[1mx\n═\033[0m\n"
               "\n"
               "\033[1m1. sum ─────────────────────────────────\033[0m\n");
    text_free(&out);
}

static void check_table_of(unit *u, int width, const char *expected)
{
    static char *cells[] = {"letter", "what it counts",          "here", "n_q", "queries", "3",
                            "d_k",    "width of a query or key", "16"};
    render_options how = part_options();
    how.width = width;
    trace_item item = {
        .kind = TRACE_TABLE, .cells = {.item = cells, .count = 9}, .columns_count = 3};
    text out = {0};
    table_text_add(&out, &item, &how);
    CHECK_TEXT(u, text_string(&out), expected);
    text_free(&out);
}

static void check_table(unit *u)
{
    check_table_of(u, 100,
                   "    letter   what it counts            here\n"
                   "    ──────   ───────────────────────   ────\n"
                   "    n_q      queries                      3\n"
                   "    d_k      width of a query or key     16\n");
    check_table_of(u, 40,
                   "    letter   what it counts         here\n"
                   "    ──────   ────────────────────   ────\n"
                   "    n_q      queries                   3\n"
                   "    d_k      width of a query or      16\n"
                   "             key\n");
}

UNIT(render_text)
{
    check_page(u);
    check_titles(u);
    check_color(u);
    check_table(u);
}
