/* Numbers that are made of others and come to the same as one of them: then who sees one of the two
 * knows both. */
#include "trace/derivation.h"

/* How a number goes through an operation as it was. */
typedef enum taking {
    TAKES_NONE,     /* it comes to the same by chance only */
    TAKES_CELL,     /* nothing is added to it, or it is rounded to no fewer digits than are shown */
    TAKES_FACTOR,   /* it is multiplied by 1, and its neighbours by 0 */
    TAKES_GREATEST, /* it is chosen */
} taking;

static const taking TAKINGS[] = {
    [OP_COPY] = TAKES_CELL,     [OP_SUM] = TAKES_CELL,      [OP_PLUS] = TAKES_CELL,
    [OP_MINUS] = TAKES_CELL,    [OP_CAP] = TAKES_CELL,      [OP_TURN] = TAKES_CELL,
    [OP_ROUND] = TAKES_CELL,    [OP_STACK] = TAKES_CELL,    [OP_DOT] = TAKES_FACTOR,
    [OP_TIMES] = TAKES_FACTOR,  [OP_DIVIDE] = TAKES_FACTOR, [OP_MAX] = TAKES_GREATEST,
    [OP_ACTIVATE] = TAKES_NONE,
};

const char *map_part_name(trace_part part)
{
    static const char *const NAMES[] = {
        [PART_ROW] = "row",
        [PART_ROW_I] = "row-i",
        [PART_ROW_J] = "row-j",
        [PART_COLUMN_J] = "column-j",
        [PART_CELL] = "cell",
        [PART_OF_ROW] = "of-row",
        [PART_OF_COLUMN] = "of-column",
        [PART_NUMBER] = "number",
        [PART_PARTNER] = "partner",
        [PART_OF_PAIR] = "of-pair",
        [PART_ABOVE] = "above",
        [PART_BELOW] = "below",
        [PART_OF_HEADS] = "of-heads",
        [PART_OF_FOCUS] = "of-focus",
    };
    return NAMES[part];
}

double map_number(const map_cell *cell)
{
    return tensor_get(&cell->map->values, (size_t[]){cell->head, cell->row, cell->column});
}

/* Where the only number is that is not 0, and is 1. */
static bool find_one(const operand_cells *of, size_t *index)
{
    size_t found = 0;
    for (size_t i = 0; i < of->count && found < 2; i++) {
        map_cell cell = derivation_cell(of, i);
        double number = map_number(&cell);
        if (number == 0)
            continue;
        *index = i;
        found += number == 1 ? 1 : 2;
    }
    return found == 1;
}

static bool find_equal(const operand_cells *of, double number, size_t *index)
{
    for (*index = 0; *index < of->count; (*index)++) {
        map_cell cell = derivation_cell(of, *index);
        if (map_number(&cell) == number)
            return true;
    }
    return false;
}

bool map_taken_from(const map_cell *made, bool is_second, map_cell *before, map_cell *factor)
{
    const trace_map *map = made->map;
    taking how = map->has_origin ? TAKINGS[map->op] : TAKES_CELL;
    operand_cells of, other;
    size_t index = 0;
    factor->map = NULL;
    if (how == TAKES_NONE || !derivation_operand(made, &map->operand[is_second], &of))
        return false;
    if (how == TAKES_GREATEST && !find_equal(&of, map_number(made), &index))
        return false;
    if (how == TAKES_FACTOR) {
        if (!derivation_operand(made, &map->operand[!is_second], &other) ||
            !find_one(&other, &index))
            return false;
        *factor = derivation_cell(&other, index);
    }
    *before = derivation_cell(&of, index);
    return of.count == 1 || how != TAKES_CELL;
}
