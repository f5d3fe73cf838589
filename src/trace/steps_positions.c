/* The step that adds positions to the rows of x, and how their waves are worked out. */
#include "attn/angle.h"
#include "attn/sinusoid.h"
#include "attn/visible.h"
#include "trace/build.h"

/* Pairs of columns that are spelled out: the first wave, and a longer one. */
enum { PAIRS = 2 };

/* x_pos[2,1] = x[2,1] + sin(angle), with this run's numbers. */
static void show_sum(builder *b, const wave_sum *w, size_t column, turn by)
{
    bool is_sine = column % 2 == 0, has_learned = w->learned.data != NULL;
    const char *left = build_text(b, "%s%zu]", w->made_name, column + 1),
               *wave = is_sine ? "sin(angle)" : "cos(angle)",
               *learned =
                   has_learned ? build_text(b, "%s%zu] + ", w->learned_name, column + 1) : "";
    tensor of = tensor_at(&w->of, column),
           added = build_number(b, build_text(b, "PE of %s", left), is_sine ? by.sine : by.cosine);
    trace_item *line =
        build_line(b, has_learned ? OP_SUM : OP_PLUS, left,
                   build_text(b, "%s%zu] + %s%s", w->of_name, column + 1, learned, wave));
    line->result = tensor_at(&w->made, column);
    if (!has_learned) {
        line->a = of;
        line->b = added;
        return;
    }
    const double numbers[] = {tensor_get(&of, NULL), tensor_get(&w->learned, &column)};
    line->a = build_numbers_of(b, build_text(b, "numbers of %s", left), 2, numbers);
    line->c = added;
}

static void show_pair(builder *b, const wave_sum *w, size_t pair)
{
    size_t width = w->of.size[0];
    double frequency = sinusoid_frequency(pair, width);
    trace_item *line = build_line(b, OP_TIMES, "angle",
                                  build_text(b, "position·10000^(−%zu/%zu)", 2 * pair, width));
    line->a = build_number(b, "position of x", w->position);
    line->b = build_number(b, build_text(b, "frequency of pair %zu of x", pair), frequency);
    line->result =
        build_number(b, build_text(b, "angle of pair %zu of x", pair), w->position * frequency);
    turn by = angle_turn(w->with, w->position, frequency);
    for (size_t column = 2 * pair; column < width && column < 2 * pair + 2; column++)
        show_sum(b, w, column, by);
}

void waves_show(builder *b, const wave_sum *w)
{
    for (size_t pair = 0; pair < PAIRS && 2 * pair < w->of.size[0]; pair++)
        show_pair(b, w, pair);
}

void make_positions(builder *b)
{
    tensor x = build_stage_of_batch(b, STAGE_X), sums = build_stage_of_batch(b, STAGE_X_POS);
    size_t width = x.size[1], row = b->focus.row;
    double position = (double)visible_position(b->plan, b->focus.batch, row);
    build_sentence(b, "Attention by itself knows no order of its rows. So each row of x is told "
                      "where it stands: sines and cosines of its position are added to it, of "
                      "waves that grow longer from column to column.");
    build_formula(b, "x_pos = x + PE, PE(position, 2i) = sin(position·10000^(−2i/m)), m = %zu",
                  width);
    build_formula(b, "PE(position, 2i + 1) = cos(position·10000^(−2i/m)), columns from 0");
    build_sentence(b, "Row %zu stands at position %.0f, counted from 0.", row + 1, position);
    wave_sum waves = {.with = b->plan->with,
                      .position = position,
                      .of = build_row(&x, row),
                      .made = build_row(&sums, row),
                      .of_name = build_text(b, "x[%zu,", row + 1),
                      .made_name = build_text(b, "x_pos[%zu,", row + 1)};
    waves_show(b, &waves);
    build_matrix(b, "x_pos", &sums, build_query_labels(b, "x"), build_numbers(), row + 1);
}
