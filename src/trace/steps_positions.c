/* The step that adds positions to the rows of x, and how their waves are worked out. */
#include "attn/plan/visible.h"
#include "trace/derivation.h"

/* Pairs of columns that are spelled out: the first wave, and a longer one. */
enum { PAIRS = 2 };

void waves_show(builder *b, const char *name, size_t row)
{
    const trace_map *made = map_named(b->trace, name);
    size_t width = made == NULL ? 0 : made->values.size[2];
    derivation_row_formula(b, name, 'i');
    build_formula(b, "PE(position, 2i) = sin(position·10000^(−2i/m)), m = %zu", width);
    build_formula(b, "PE(position, 2i + 1) = cos(position·10000^(−2i/m)), columns from 0");
    for (size_t pair = 0; pair < PAIRS && 2 * pair < width; pair++) {
        derivation_line(b, "x_angle", row, pair);
        for (size_t column = 2 * pair; column < width && column < 2 * pair + 2; column++)
            derivation_line(b, name, row, column);
    }
}

void make_positions(builder *b)
{
    size_t row = b->focus.row;
    build_sentence(b, "Attention by itself knows no order of its rows. So each row of x is told "
                      "where it stands: sines and cosines of its position are added to it, of "
                      "waves that grow longer from column to column.");
    build_sentence(b, "Row %zu stands at position %zu, counted from 0.", row + 1,
                   visible_position(b->plan, b->focus.batch, row));
    waves_show(b, map_name_of(STAGE_X_POS), row);
    derivation_matrix(b, "x_pos", row + 1);
}
