/* Worked lines, laid out by hand with the numbers of seed 001's walkthrough. */
#include "unit.h"

#include "render/text_items.h"
#include "render_parts.h"

#include <math.h>

static const double Q[] = {1, 0, 2}, K[] = {4, 4, 0}, SIGNED[] = {-1, 2, -0.5};
static const double ONE = 1, TWO = 2, FOUR = 4, MINUS = -0.5, HIDDEN = -INFINITY;

static void check_line(unit *u, const trace_item *item, const render_options *how,
                       const char *expected)
{
    text out = {0};
    line_text_add(&out, item, how);
    CHECK_TEXT(u, text_string(&out), expected);
    text_free(&out);
}

static trace_item line(operation op, const char *left, const char *letters)
{
    return (trace_item){.kind = TRACE_LINE, .op = op, .left = left, .letters = letters};
}

static void check_sums(unit *u)
{
    render_options how = part_options();
    trace_item item = line(OP_DOT, "scores[1,2]", "q[1]·k[2]");
    item.a = part_vector(3, Q);
    item.b = part_vector(3, K);
    item.result = part_number(&FOUR);
    check_line(u, &item, &how, "    scores[1,2] = q[1]·k[2] = 1·4 + 0·4 + 2·0 = 4\n");

    item.a = part_vector(3, SIGNED);
    item.c = part_number(&MINUS);
    check_line(u, &item, &how,
               "    scores[1,2] = q[1]·k[2] = (-1)·4 + 2·4 + (-0.5)·0 + (-0.5) = 4\n");

    item = line(OP_SUM, "row_sum[1]", NULL);
    item.a = part_vector(3, SIGNED);
    item.result = part_number(&MINUS);
    check_line(u, &item, &how, "    row_sum[1] = -1 + 2 + (-0.5) = -0.5\n");
    item.a = item.result;
    check_line(u, &item, &how, "    row_sum[1] = -0.5\n");
}

static void check_additive(unit *u)
{
    static const double VA[] = {0.5, -2}, BA[] = {0, -3};
    render_options how = part_options();
    trace_item item = line(OP_ADDITIVE, "scores[1,1]", NULL);
    item.a = part_vector(2, Q);
    item.b = part_vector(2, SIGNED);
    item.c = part_vector(2, VA);
    item.result = part_number(&TWO);
    check_line(u, &item, &how, "    scores[1,1] = 0.5·tanh(1 + (-1)) + (-2)·tanh(0 + 2) = 2\n");
    item.d = part_vector(2, BA);
    check_line(u, &item, &how,
               "    scores[1,1] = 0.5·tanh(1 + (-1) + 0) + (-2)·tanh(0 + 2 + (-3)) = 2\n");
}

/* Each operation of two numbers, or of one. The operands are chosen for their signs; only a
 * reader knows that a result is not theirs. */
static void check_operations(unit *u)
{
    static const struct {
        operation op;
        const char *letters, *wanted;
    } ROWS[] = {
        {OP_TIMES, "a·b", "    y = a·b = (-0.5)·2 = 4\n"},
        {OP_PLUS, "a + b", "    y = a + b = -0.5 + 2 = 4\n"},
        {OP_EXP, NULL, "    y = exp(-0.5 − 2) = 4\n"},
        {OP_DIVIDE, NULL, "    y = -0.5 / 2 = 4\n"},
        {OP_VARIANCE, NULL, "    y = 4\n"},
        {OP_ROUND, "weights[1,1]", "    y: weights[1,1] = -0.5 → 4\n"},
        {OP_HIDE, NULL, "    y: -0.5 → 4\n"},
    };
    render_options how = part_options();
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        trace_item item = line(ROWS[i].op, "y", ROWS[i].letters);
        item.a = part_number(&MINUS);
        item.b = part_number(&TWO);
        item.result = part_number(&FOUR);
        check_line(u, &item, &how, ROWS[i].wanted);
    }
    trace_item item = line(OP_EXP, "y", NULL);
    item.a = part_number(&ONE);
    item.b = part_number(&MINUS);
    item.result = part_number(&HIDDEN);
    check_line(u, &item, &how, "    y = exp(1 − (-0.5)) = -inf\n");
    item = line(OP_INVERSE_ROOT, "scale", "1/√d_k");
    item.a = item.result = part_number(&ONE);
    check_line(u, &item, &how, "    scale = 1/√d_k = 1/√1 = 1\n");
}

/* Of a row of three numbers the first two are a pair that is turned. */
static void check_turned(unit *u)
{
    render_options how = part_options();
    trace_map map = {.slices = 1, .paired = 2, .values = {.rank = 3, .size = {1, 1, 3}}};
    trace_item item = line(OP_TURN, "y", NULL);
    item.map = &map;
    item.a = part_number(&TWO);
    item.b = part_number(&MINUS);
    item.c = part_number(&ONE);
    item.result = part_number(&FOUR);
    check_line(u, &item, &how, "    y = 2·cos(1) − (-0.5)·sin(1) = 4\n");
    item.cell[2] = 1;
    check_line(u, &item, &how, "    y = 2·cos(1) + (-0.5)·sin(1) = 4\n");
}

static void check_vectors(unit *u)
{
    static const double V[] = {2, 8, 0}, WEIGHTED[] = {1, 4, 0}, HALF = 0.5;
    render_options how = part_options();
    trace_item item = line(OP_TIMES, "weighted[1,2]", "weights[1,2]·v[2]");
    item.a = part_number(&HALF);
    item.b = part_vector(3, V);
    item.result = part_vector(3, WEIGHTED);
    check_line(u, &item, &how,
               "    weighted[1,2] = weights[1,2]·v[2] = 0.5·[2, 8, 0] = [1, 4, 0]\n");
    item = line(OP_MAX, "row_max[1]", NULL);
    item.a = part_vector(3, SIGNED);
    item.result = part_number(&TWO);
    check_line(u, &item, &how, "    row_max[1] = max(-1, 2, -0.5) = 2\n");
    how.digits = 1;
    check_line(u, &item, &how, "    row_max[1] = max(-1.0, 2.0, -0.5) = 2.0\n");
}

/* What is too long for the page goes on below: numbers under numbers, signs under signs. */
static void check_broken(unit *u)
{
    static const double A[] = {10.25, -20.5, 30.75, 40.125, 50.5, 60.25};
    render_options how = part_options();
    how.width = 60;
    trace_item item = line(OP_DOT, "scores[1,2]", "q[1]·k[2]");
    item.a = part_vector(6, A);
    item.b = part_vector(6, A);
    item.result = part_number(&FOUR);
    check_line(u, &item, &how,
               "    scores[1,2] = q[1]·k[2]\n"
               "                = 10.25·10.25 + (-20.5)·(-20.5)\n"
               "                  + 30.75·30.75 + 40.125·40.125 + 50.5·50.5\n"
               "                  + 60.25·60.25\n"
               "                = 4\n");
    item.op = OP_MAX;
    item.letters = NULL;
    how.width = 40;
    check_line(u, &item, &how,
               "    scores[1,2] = max(10.25, -20.5,\n"
               "                  30.75, 40.125, 50.5,\n"
               "                  60.25)\n"
               "                = 4\n");
}

/* More than 16 terms: the first 8, the last 3, and how many there are. */
static void check_shortened(unit *u)
{
    double many[17];
    for (size_t i = 0; i < 17; i++)
        many[i] = (double)i;
    render_options how = part_options();
    trace_item item = line(OP_SUM, "y", NULL);
    item.a = part_vector(17, many);
    item.result = part_number(&FOUR);
    check_line(u, &item, &how,
               "    y = 0 + 1 + 2 + 3 + 4 + 5 + 6 + 7 + … + 14 + 15 + 16 = 4  (17 terms)\n");
    item.op = OP_MAX;
    check_line(u, &item, &how,
               "    y = max(0, 1, 2, 3, 4, 5, 6, 7, …, 14, 15, 16) = 4  (17 numbers)\n");
    how.is_full = true;
    item.op = OP_SUM;
    check_line(u, &item, &how,
               "    y = 0 + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 + 14 + 15 + 16 = "
               "4\n");
    how.is_full = false;
    item.a = part_vector(16, many);
    check_line(u, &item, &how,
               "    y = 0 + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 + 14 + 15 = 4\n");
}

UNIT(render_line)
{
    check_sums(u);
    check_additive(u);
    check_operations(u);
    check_turned(u);
    check_vectors(u);
    check_broken(u);
    check_shortened(u);
}
