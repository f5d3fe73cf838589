#include "trace/trace.h"

#include <stdint.h>

const char *part_name_in_traces(trace_part part)
{
    static const char *const NAMES[AXIS_COUNT][AXIS_COUNT] = {
        [AXIS_ONLY] = {[AXIS_ALL] = "row",
                       [AXIS_ONLY] = "number",
                       [AXIS_I] = "of-column-i",
                       [AXIS_J] = "of-column"},
        [AXIS_ALL] = {[AXIS_ONLY] = "column",
                      [AXIS_I] = "column-i",
                      [AXIS_J] = "column-j",
                      [AXIS_ALL] = "all"},
        [AXIS_OWN] = {[AXIS_J] = "column-j"},
        [AXIS_LEARNED] = {[AXIS_J] = "learned"},
        [AXIS_I] = {[AXIS_ALL] = "row-i",
                    [AXIS_WHOLE] = "row-i-whole",
                    [AXIS_OWN] = "row-i-own",
                    [AXIS_SHARED] = "shared",
                    [AXIS_ONLY] = "of-row",
                    [AXIS_J] = "cell",
                    [AXIS_PARTNER] = "partner",
                    [AXIS_PAIR] = "of-pair"},
        [AXIS_J] = {[AXIS_ALL] = "row-j", [AXIS_ONLY] = "of-row-j", [AXIS_I] = "turned"},
        [AXIS_ABOVE] = {[AXIS_J] = "above"},
        [AXIS_BELOW] = {[AXIS_J] = "below"},
        [AXIS_QUERY] = {[AXIS_I] = "of-focus"},
    };
    static const char *const OF_HEADS[AXIS_COUNT][AXIS_COUNT] = {
        [AXIS_ALL] = {[AXIS_I] = "column-i-of-heads", [AXIS_J] = "column-of-heads"},
        [AXIS_I] = {[AXIS_ALL] = "row-i-of-heads", [AXIS_J] = "of-heads"},
        [AXIS_J] = {[AXIS_ALL] = "row-j-of-heads"},
    };
    return (part.is_of_heads ? OF_HEADS : NAMES)[part.row][part.column];
}

/* Along rows, or columns, of which there are `size`, `step` from one to the next. */
static void go_along(trace_address *a, trace_axis axis, size_t size, size_t step)
{
    step = size == 1 ? 0 : step;
    switch (axis) {
    case AXIS_ALL:
    case AXIS_WHOLE:
        a->count = size;
        a->step = size == 1 ? 1 : step;
        break;
    case AXIS_I:
    case AXIS_ABOVE:
        a->row = step;
        a->end_row = size;
        break;
    case AXIS_J:
        a->column = step;
        a->end_column = size;
        break;
    case AXIS_PARTNER:
    case AXIS_PAIR:
        a->column = step;
        a->pair = axis;
        break;
    case AXIS_QUERY:
        a->query = step;
        break;
    default:
        break;
    }
}

trace_address trace_address_of(const trace_room *room, const trace_map *made,
                               const trace_origin *from)
{
    const trace_map *of = from->map;
    trace_part part = from->part;
    size_t rows = of->values.size[1], columns = of->values.size[2];
    bool is_joined = !made->is_of_focus && made->values.size[0] == 1 && made->slices > 1;
    size_t heads = made->is_of_focus ? room->heads
                   : is_joined       ? made->slices
                                     : made->values.size[0];
    bool lies_apart = of->values.size[0] > 1;
    size_t of_heads = lies_apart ? of->values.size[0] : of->slices;
    bool is_whole = part.column == AXIS_WHOLE,
         is_cut = !lies_apart && !is_whole && (heads > 1 || part.is_of_heads);
    size_t width = is_cut ? columns / of->slices : columns;
    trace_address a = {.group = of_heads < heads ? heads / of_heads : 1,
                       .count = 1,
                       .step = 1,
                       .pair = AXIS_J,
                       .end_row = SIZE_MAX,
                       .end_column = SIZE_MAX};
    if (rows > 1 || part.row != AXIS_I) /* else all rows have the only one */
        go_along(&a, part.row, rows, columns);
    go_along(&a, part.column, width, 1);
    if (part.row == AXIS_BELOW) {
        size_t above = made->values.size[1] > rows ? made->values.size[1] - rows : 0;
        a.row = columns;
        a.base = ((ptrdiff_t)rows - (ptrdiff_t)made->values.size[1]) * (ptrdiff_t)columns;
        a.first_row = above;
    }
    if (part.row == AXIS_OWN)
        go_along(&a, AXIS_ALL, rows - room->run.appended, columns);
    if (part.column == AXIS_OWN)
        go_along(&a, AXIS_ALL, width - room->run.shared, 1);
    if (part.column == AXIS_SHARED) {
        size_t of_head = made->values.size[2] / made->slices;
        a.column = 1;
        a.base = (ptrdiff_t)width - (ptrdiff_t)of_head;
        a.first_column = of_head - room->run.shared;
    }
    if (part.row == AXIS_LEARNED)
        a.base = (ptrdiff_t)((rows - room->run.appended) * columns);
    if (part.column == AXIS_PAIR && room->run.appended > 0) /* what is appended is not turned */
        a.end_row = rows;
    size_t apart = lies_apart ? rows * columns : width,
           each = of_heads > heads ? of_heads / heads : 1;
    if (of_heads > 1 && !is_whole && (heads > 1 || part.is_of_heads))
        a.head = apart * each;
    /* Where it is not one that all heads share, its columns, or rows, are all heads'. */
    size_t own = made->values.size[2] / made->slices, along = part.row == AXIS_J ? rows : columns;
    if (of_heads == 1 && heads > 1 && along == heads * own && a.pair != AXIS_PAIR) {
        a.head = a.column * own;
        a.group = 1;
        a.end_column = SIZE_MAX;
    }
    if (part.row == AXIS_ALL && part.column == AXIS_ALL) {
        a.count = lies_apart && heads > 1 ? rows * columns : tensor_count(&of->values);
        a.step = 1;
    }
    if (part.is_of_heads && part.column == AXIS_ALL) {
        a.count = width * each;
    } else if (part.is_of_heads) {
        a.count = each * (part.row == AXIS_ALL ? rows : 1);
        a.step = part.row == AXIS_ALL ? columns : apart;
    }
    return a;
}
