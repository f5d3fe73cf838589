/* What a node's operation takes of other nodes, and where those numbers are.
 *
 * A part is said by its two axes: which rows and which columns of the other map a cell [i,j] takes.
 * A column, a transpose or a sum over heads are values of it. From the part and the shapes of both
 * maps follows its address, and nothing else knows which head, row and column an operand means: the
 * letters, the worked lines, the JSON trace and the page's script all read the address. */
#ifndef SELFATTN_TRACE_OPERAND_H
#define SELFATTN_TRACE_OPERAND_H

#include <stdbool.h>
#include <stddef.h>

struct trace_room;
struct trace_map;

/* i and j are the cell's row and column; of heads side by side each counts its own columns. */
typedef enum trace_axis {
    AXIS_ONLY,    /* the only one; where there are several, the first */
    AXIS_ALL,     /* all, one after the other; of both, all of the head */
    AXIS_I,       /* i; as rows, the only one where there is no other */
    AXIS_J,       /* j */
    AXIS_ABOVE,   /* row i, where there are so many */
    AXIS_BELOW,   /* row i, where the last rows of both stand side by side */
    AXIS_QUERY,   /* the row of the map's query */
    AXIS_PARTNER, /* the other column of j's pair */
    AXIS_PAIR,    /* the column of the number of j's pair */
    AXIS_OWN,     /* as rows, all but those that are appended; as columns, all but those shared */
    AXIS_SHARED,  /* as a column, the shared one that a head's keys have in column j */
    AXIS_LEARNED, /* as a row, the first that is appended */
    AXIS_WHOLE,   /* as columns, those of all heads side by side */
    AXIS_COUNT
} trace_axis;

/* Small: a trace of many rooms has thousands of them. */
typedef struct trace_part {
    unsigned char row, column; /* a trace_axis each */
    bool is_of_heads;          /* of each head that belongs to the cell's, one after the other: a
                                * cell, the column, or of heads side by side the row */
} trace_part;

static const trace_part PART_ROW = {AXIS_ONLY, AXIS_ALL, false};
static const trace_part PART_ROW_I = {AXIS_I, AXIS_ALL, false};
static const trace_part PART_WHOLE_ROW_I = {AXIS_I, AXIS_WHOLE, false};
static const trace_part PART_OWN_ROW_I = {AXIS_I, AXIS_OWN, false};
static const trace_part PART_SHARED = {AXIS_I, AXIS_SHARED, false};
static const trace_part PART_ROW_J = {AXIS_J, AXIS_ALL, false};
static const trace_part PART_COLUMN = {AXIS_ALL, AXIS_ONLY, false};
static const trace_part PART_COLUMN_J = {AXIS_ALL, AXIS_J, false};
static const trace_part PART_CELL = {AXIS_I, AXIS_J, false};
static const trace_part PART_OF_ROW = {AXIS_I, AXIS_ONLY, false};
static const trace_part PART_OF_COLUMN = {AXIS_ONLY, AXIS_J, false};
static const trace_part PART_NUMBER = {AXIS_ONLY, AXIS_ONLY, false};
static const trace_part PART_PARTNER = {AXIS_I, AXIS_PARTNER, false};
static const trace_part PART_OF_PAIR = {AXIS_I, AXIS_PAIR, false};
static const trace_part PART_ABOVE = {AXIS_ABOVE, AXIS_J, false};
static const trace_part PART_BELOW = {AXIS_BELOW, AXIS_J, false};
static const trace_part PART_OF_HEADS = {AXIS_I, AXIS_J, true};
static const trace_part PART_WHOLE = {AXIS_ALL, AXIS_ALL, false};
static const trace_part PART_COLUMN_I = {AXIS_ALL, AXIS_I, false};
static const trace_part PART_OWN_COLUMN_J = {AXIS_OWN, AXIS_J, false};
static const trace_part PART_COLUMN_OF_HEADS = {AXIS_ALL, AXIS_J, true};
static const trace_part PART_COLUMN_I_OF_HEADS = {AXIS_ALL, AXIS_I, true};
static const trace_part PART_ROW_I_OF_HEADS = {AXIS_I, AXIS_ALL, true};
static const trace_part PART_ROW_J_OF_HEADS = {AXIS_J, AXIS_ALL, true};
static const trace_part PART_LEARNED = {AXIS_LEARNED, AXIS_J, false};
static const trace_part PART_OF_FOCUS = {AXIS_QUERY, AXIS_I, false};

/* "row-i": what programs that read a trace call the part; NULL: it has no name. */
const char *part_name_in_traces(trace_part part);

typedef struct trace_origin {
    trace_part part;
    const struct trace_room *room; /* that has the map: */
    const struct trace_map *map;   /* NULL: there is no such operand */
    const char *name;              /* as the room that takes it calls the map */
} trace_origin;

/* In a map's numbers, head after head and row after row, those of cell [i,j] in head h begin at
 *
 *     base + query·f + head·⌊h/group⌋ + row·i + column·j
 *
 * and there are `count` of them, each `step` after the one before. h is the cell's head, j its
 * column within it: the width of a head is that of the map that is made. Of a map that is of one
 * query alone, f is that query and h the head in focus. */
typedef struct trace_address {
    ptrdiff_t base;
    size_t query, head, group, row, column, count, step;
    trace_axis pair; /* AXIS_PARTNER, AXIS_PAIR: in place of j; else AXIS_J */
    /* The operand is there in these rows alone, and in these columns of a head. */
    size_t first_row, end_row, first_column, end_column;
} trace_address;

/* Of an operand that `made` takes, a map of the room. */
trace_address trace_address_of(const struct trace_room *room, const struct trace_map *made,
                               const trace_origin *from);

#endif
