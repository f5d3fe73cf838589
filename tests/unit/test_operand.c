/* Which numbers an operand is: heads that lie side by side or apart, are shared, and have other
 * widths than what is made of them. */
#include "trace/build.h"
#include "trace/derivation.h"

#include "unit.h"

enum { H = 4, KV = 2, N_Q = 3, N_K = 5, D_V = 2, ROOM = H * N_K * N_K };

/* As many heads, apart or side by side, each of rows × columns. */
typedef struct shape {
    size_t heads, rows, columns;
    bool is_joined;
} shape;

/* A number says where it is: 100·head + 10·row + column of the head. */
static void lay_out(trace_map *map, shape s, double *numbers)
{
    size_t apart = s.is_joined ? 1 : s.heads, wide = s.is_joined ? s.heads * s.columns : s.columns;
    *map = (trace_map){.values = {.type = DTYPE_F64,
                                  .rank = 3,
                                  .size = {apart, s.rows, wide},
                                  .stride = {(ptrdiff_t)(s.rows * wide), (ptrdiff_t)wide, 1},
                                  .data = numbers},
                       .slices = s.is_joined ? s.heads : 1};
    for (size_t h = 0; h < s.heads; h++) {
        for (size_t i = 0; i < s.rows; i++) {
            for (size_t j = 0; j < s.columns; j++) {
                size_t at[] = {s.is_joined ? 0 : h, i, s.is_joined ? h * s.columns + j : j};
                tensor_set(&map->values, at, (double)(100 * h + 10 * i + j));
            }
        }
    }
}

/* The terms of cell [i,j] in head h, by what the axes say. */
static size_t terms_of(shape of, shape made, trace_part part, size_t h, size_t i, size_t j,
                       double *terms)
{
    size_t each = of.heads > made.heads ? of.heads / made.heads : 1, count = 0;
    size_t first = of.heads >= made.heads ? h * each : h / (made.heads / of.heads);
    for (size_t head = first; head < first + (part.is_of_heads ? each : 1); head++) {
        for (size_t row = 0; row < of.rows; row++) {
            for (size_t column = 0; column < of.columns; column++) {
                bool has_row = part.row == AXIS_ALL || (part.row == AXIS_I && row == i) ||
                               (part.row == AXIS_J && row == j) ||
                               (part.row == AXIS_ONLY && row == 0);
                bool has_column = part.column == AXIS_ALL ||
                                  (part.column == AXIS_I && column == i) ||
                                  (part.column == AXIS_J && column == j) ||
                                  (part.column == AXIS_ONLY && column == 0);
                if (has_row && has_column)
                    terms[count++] = (double)(100 * head + 10 * row + column);
            }
        }
    }
    return count;
}

static const trace_part COLUMN_I = {AXIS_ALL, AXIS_I, false}, TURNED = {AXIS_J, AXIS_I, false};

UNIT(operand_of_heads)
{
    const shape weights = {H, N_Q, N_K, false}, attended = {H, N_Q, D_V, false},
                side_by_side = {H, N_Q, D_V, true}, v = {KV, N_K, D_V, true},
                v_apart = {KV, N_K, D_V, false}, of_heads = {H, N_K, D_V, false},
                one = {1, N_K, D_V, false}, turned = {H, N_K, N_Q, false};
    const struct {
        shape made, of;
        trace_part part;
    } CASES[] = {
        {attended, weights, PART_ROW_I},
        {attended, v, PART_COLUMN_J},
        {attended, v_apart, PART_COLUMN_J},
        /* a joined result whose operand's heads are wider than its own */
        {side_by_side, weights, PART_ROW_I},
        {side_by_side, attended, PART_CELL},
        {attended, side_by_side, PART_CELL},
        {side_by_side, v, PART_COLUMN_J},
        {side_by_side, v_apart, PART_COLUMN_J},
        {weights, attended, PART_ROW_I},
        {weights, side_by_side, PART_ROW_I},
        {weights, v, PART_ROW_J},
        /* sums over queries, then over the heads that share keys and values */
        {of_heads, weights, COLUMN_I},
        {of_heads, side_by_side, PART_COLUMN_J},
        {v, of_heads, PART_OF_HEADS},
        {v_apart, of_heads, PART_OF_HEADS},
        {one, of_heads, PART_OF_HEADS},
        {turned, weights, TURNED},
    };
    double made_numbers[ROOM], of_numbers[ROOM], terms[ROOM];
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        shape m = CASES[c].made;
        trace_map made, of;
        lay_out(&made, m, made_numbers);
        lay_out(&of, CASES[c].of, of_numbers);
        trace_origin from = {CASES[c].part, NULL, &of, "of"};
        bool is_right = true;
        for (size_t at = 0; at < m.heads * m.rows * m.columns; at++) {
            size_t h = at / (m.rows * m.columns), i = at / m.columns % m.rows, j = at % m.columns;
            map_cell cell = {NULL, &made, m.is_joined ? 0 : h, i,
                             m.is_joined ? h * m.columns + j : j};
            size_t count = terms_of(CASES[c].of, m, CASES[c].part, h, i, j, terms);
            operand_cells cells = {0};
            is_right = is_right && derivation_operand(&cell, &from, &cells) && cells.count == count;
            for (size_t p = 0; is_right && p < count; p++)
                is_right = derivation_number(&cells, p) == terms[p];
        }
        if (!CHECK(u, is_right))
            printf("  case %zu\n", c);
    }
}

/* The weights that the query in focus gives, in the head in focus; rows above and below. */
UNIT(operand_by_rows)
{
    const shape weights = {H, N_Q, N_K, false}, v = {1, N_K, D_V, false},
                past = {1, N_Q, D_V, false};
    double made_numbers[ROOM], of_numbers[ROOM];
    trace_map made, of;
    static trace_room room = {.heads = H, .focus = {.head = 2}};
    operand_cells cells;
    lay_out(&made, v, made_numbers);
    lay_out(&of, weights, of_numbers);
    made.is_of_focus = true;
    made.query = 1;
    map_cell cell = {&room, &made, 0, 4, 1};
    CHECK(u, derivation_operand(&cell, &(trace_origin){PART_OF_FOCUS, NULL, &of, "of"}, &cells));
    CHECK(u, cells.count == 1 && derivation_number(&cells, 0) == 214);
    /* Of five rows three are above, or below. */
    made.is_of_focus = false;
    lay_out(&of, past, of_numbers);
    trace_origin above = {PART_ABOVE, NULL, &of, "of"}, below = {PART_BELOW, NULL, &of, "of"};
    CHECK(u, !derivation_operand(&cell, &above, &cells));
    CHECK(u, derivation_operand(&cell, &below, &cells) && derivation_number(&cells, 0) == 21);
    cell.row = 1;
    CHECK(u, !derivation_operand(&cell, &below, &cells));
    CHECK(u, derivation_operand(&cell, &above, &cells) && derivation_number(&cells, 0) == 11);
}
