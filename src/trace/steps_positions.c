/* The step that adds positions to the rows of x. */
#include "trace/build.h"

#include "attn/angle.h"
#include "attn/sinusoid.h"
#include "attn/visible.h"

/* Pairs of columns that are spelled out: the first wave, and a longer one. */
enum { PAIRS = 2 };

/* x_pos[2,1] = x[2,1] + sin(angle), with this run's numbers. */
static void show_sum(builder *b, const tensor *x, const tensor *sums, size_t column, turn by)
{
    size_t row = b->focus.row;
    bool is_sine = column % 2 == 0;
    const char *left = build_text(b, "x_pos[%zu,%zu]", row + 1, column + 1);
    trace_item *line = build_line(
        b, OP_PLUS, left,
        build_text(b, "x[%zu,%zu] + %s(angle)", row + 1, column + 1, is_sine ? "sin" : "cos"));
    line->a = build_element(x, row, column);
    line->b = build_number(b, build_text(b, "PE of %s", left), is_sine ? by.sine : by.cosine);
    line->result = build_element(sums, row, column);
}

static void show_pair(builder *b, const tensor *x, const tensor *sums, double position, size_t pair)
{
    size_t width = x->size[1];
    double frequency = sinusoid_frequency(pair, width);
    trace_item *line = build_line(b, OP_TIMES, "angle",
                                  build_text(b, "position·10000^(−%zu/%zu)", 2 * pair, width));
    line->a = build_number(b, "position of x", position);
    line->b = build_number(b, build_text(b, "frequency of pair %zu of x", pair), frequency);
    line->result =
        build_number(b, build_text(b, "angle of pair %zu of x", pair), position * frequency);
    turn by = angle_turn(b->plan->with, position, frequency);
    for (size_t column = 2 * pair; column < width && column < 2 * pair + 2; column++)
        show_sum(b, x, sums, column, by);
}

void make_positions(builder *b)
{
    tensor x = build_stage_of_batch(b, STAGE_X), sums = build_stage_of_batch(b, STAGE_X_POS);
    size_t width = x.size[1];
    double position = (double)visible_position(b->plan, b->focus.batch, b->focus.row);
    build_sentence(b, "Attention by itself knows no order of its rows. So each row of x is told "
                      "where it stands: sines and cosines of its position are added to it, of "
                      "waves that grow longer from column to column.");
    build_formula(b, "x_pos = x + PE, PE(position, 2i) = sin(position·10000^(−2i/m)), m = %zu",
                  width);
    build_formula(b, "PE(position, 2i + 1) = cos(position·10000^(−2i/m)), columns from 0");
    build_sentence(b, "Row %zu stands at position %.0f, counted from 0.", b->focus.row + 1,
                   position);
    for (size_t pair = 0; pair < PAIRS && 2 * pair < width; pair++)
        show_pair(b, &x, &sums, position, pair);
    build_matrix(b, "x_pos", &sums, build_query_labels(b, "x"), build_numbers(), b->focus.row + 1);
}
