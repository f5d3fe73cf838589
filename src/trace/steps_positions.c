/* The step that adds positions to the rows of x. */
#include "trace/waves.h"

#include "attn/visible.h"

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
