/* Numbers that are made of others and come to the same as one of them: then who sees one of the two
 * knows both. */
#include "trace/map.h"

/* How a number goes through an operation as it was. */
typedef enum taking {
    TAKES_NONE,     /* it comes to the same by chance only */
    TAKES_CELL,     /* nothing is added to it, or it is rounded to no fewer digits than are shown */
    TAKES_FACTOR,   /* it is multiplied by 1, and its neighbours by 0 */
    TAKES_GREATEST, /* it is chosen */
} taking;

static const taking TAKINGS[] = {
    [OP_SUM] = TAKES_CELL,      [OP_PLUS] = TAKES_CELL,    [OP_MINUS] = TAKES_CELL,
    [OP_CAP] = TAKES_CELL,      [OP_TURN] = TAKES_CELL,    [OP_ROUND] = TAKES_CELL,
    [OP_STACK] = TAKES_CELL,    [OP_DOT] = TAKES_FACTOR,   [OP_TIMES] = TAKES_FACTOR,
    [OP_DIVIDE] = TAKES_FACTOR, [OP_MAX] = TAKES_GREATEST, [OP_ACTIVATE] = TAKES_NONE,
};

const char *map_part_name(trace_part part)
{
    static const char *const NAMES[] = {
        [PART_ROW_I] = "row-i",       [PART_ROW_J] = "row-j",     [PART_COLUMN_J] = "column-j",
        [PART_CELL] = "cell",         [PART_OF_ROW] = "of-row",   [PART_OF_COLUMN] = "of-column",
        [PART_NUMBER] = "number",     [PART_PARTNER] = "partner", [PART_OF_PAIR] = "of-pair",
        [PART_ABOVE] = "above",       [PART_BELOW] = "below",     [PART_OF_HEADS] = "of-heads",
        [PART_OF_FOCUS] = "of-focus",
    };
    return NAMES[part];
}

const trace *map_room_at(const trace *whole, size_t map)
{
    size_t first = 0, end = trace_rooms(whole);
    while (end - first > 1) {
        size_t middle = first + (end - first) / 2;
        if (trace_room(whole, middle)->first_map <= map)
            first = middle;
        else
            end = middle;
    }
    return trace_room(whole, first);
}

double map_number(const map_cell *cell)
{
    return tensor_get(&cell->map->values, (size_t[]){cell->head, cell->row, cell->column});
}

/* ---- operands ---- */

/* The cells that an operand is: so many from the first one on, side by side or below each other. */
typedef struct operand {
    map_cell first;
    size_t count;
    bool is_down;
} operand;

static map_cell cell_of(const operand *of, size_t index)
{
    map_cell cell = of->first;
    if (of->is_down)
        cell.row += index;
    else
        cell.column += index;
    return cell;
}

/* Which head of the operand's map belongs to the cell, and which columns of it: heads may lie side
 * by side in either, and several may share one of the keys' and values'. */
static void find_head(const map_cell *made, operand *of, size_t *column)
{
    const trace_map *to = made->map, *from = of->first.map;
    size_t head = to->is_of_focus ? made->room->focus.head : made->head;
    size_t heads = to->is_of_focus ? made->room->heads : to->values.size[0];
    size_t columns = from->values.size[2], width = columns / from->slices;
    bool is_joined = heads == 1 && to->slices > 1;
    of->count = columns;
    *column = made->column;
    if (from->slices > 1 && is_joined && from->slices == to->slices) {
        of->first.column = made->column / width * width;
        of->count = width;
    } else if (from->values.size[0] > 1 && is_joined) {
        of->first.head = made->column / columns;
        *column = made->column % columns;
    } else if (from->values.size[0] > 1) {
        of->first.head = head * from->values.size[0] / heads;
    } else if (from->slices > 1 && heads > 1) {
        of->first.column = head * from->slices / heads * width;
        of->count = width;
        *column += of->first.column;
    }
}

/* Puts it at one cell; false where the map has none there. */
static bool point_at(operand *of, size_t row, size_t column)
{
    of->first.row = row;
    of->first.column = column;
    of->count = 1;
    return row < of->first.map->values.size[1] && column < of->first.map->values.size[2];
}

/* False where it has no part in this cell, or one that nothing is taken from. */
static bool find_operand(const trace *whole, const map_cell *made, const trace_origin *from,
                         operand *of)
{
    const trace *room = map_room_at(whole, from->map);
    const trace_map *map = &room->map[from->map - room->first_map];
    size_t rows = map->values.size[1], column, below;
    *of = (operand){.first = {.room = room, .map = map, .row = rows == 1 ? 0 : made->row}};
    find_head(made, of, &column);
    switch (from->part) {
    case PART_ROW_I:
        return of->first.row < rows;
    case PART_ROW_J:
        of->first.row = made->column;
        return of->first.row < rows;
    case PART_COLUMN_J:
        *of = (operand){{room, map, of->first.head, 0, column}, rows, true};
        return true;
    case PART_CELL:
        return point_at(of, of->first.row, column);
    case PART_ABOVE:
        return point_at(of, made->row, column);
    case PART_BELOW:
        below = made->row + rows;
        return below >= made->map->values.size[1] &&
               point_at(of, below - made->map->values.size[1], column);
    case PART_OF_ROW:
        return point_at(of, of->first.row, 0);
    case PART_OF_COLUMN:
        return point_at(of, 0, column);
    case PART_NUMBER:
        return point_at(of, 0, 0);
    case PART_OF_FOCUS:
        return point_at(of, made->room->focus.row, made->row);
    default:
        return false;
    }
}

/* ---- what is taken ---- */

/* Where the only number is that is not 0, and is 1. */
static bool find_one(const operand *of, size_t *index)
{
    size_t found = 0;
    for (size_t i = 0; i < of->count && found < 2; i++) {
        map_cell cell = cell_of(of, i);
        double number = map_number(&cell);
        if (number == 0)
            continue;
        *index = i;
        found += number == 1 ? 1 : 2;
    }
    return found == 1;
}

static bool find_equal(const operand *of, double number, size_t *index)
{
    for (*index = 0; *index < of->count; (*index)++) {
        map_cell cell = cell_of(of, *index);
        if (map_number(&cell) == number)
            return true;
    }
    return false;
}

bool map_taken_from(const trace *whole, const map_cell *made, bool is_second, map_cell *before,
                    map_cell *factor)
{
    const trace_map *map = made->map;
    const trace_origin *from = is_second ? &map->b : &map->a, *by = is_second ? &map->a : &map->b;
    taking how = map->has_origin ? TAKINGS[map->op] : TAKES_CELL;
    operand of, other;
    size_t index = 0;
    factor->map = NULL;
    if (how == TAKES_NONE || !find_operand(whole, made, from, &of))
        return false;
    if (how == TAKES_GREATEST && !find_equal(&of, map_number(made), &index))
        return false;
    if (how == TAKES_FACTOR) {
        if (!find_operand(whole, made, by, &other) || !find_one(&other, &index))
            return false;
        *factor = cell_of(&other, index);
    }
    *before = cell_of(&of, index);
    return of.count == 1 || how != TAKES_CELL;
}
