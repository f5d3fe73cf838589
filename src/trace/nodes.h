/* Where every number of a run comes from: the matrices of all heads, and for each what operation
 * makes a cell out of which parts of which others. Steps spell out one row; with this a page can
 * spell out any cell, all the way back to the inputs, without computing anything. */
#ifndef SELFATTN_TRACE_NODES_H
#define SELFATTN_TRACE_NODES_H

#include "trace/trace.h"

/* Where a matrix lies in a map: in which head, from which row and column on. */
typedef struct map_place {
    size_t head, row, column;
    bool is_turned; /* the matrix has the map's rows as columns */
} map_place;

/* The map that holds this matrix or vector, by its very numbers: one of which it is a head, or else
 * one of which it is a part; NULL where none does. */
const trace_map *map_of(const trace *t, const tensor *matrix, map_place *at);

/* The map of this name, or NULL. */
const trace_map *map_named(const trace *t, const char *name);

/* Its number among all maps of the house. */
size_t map_index(const trace *room, const trace_map *map);

/* "row-i": what programs that read a trace call the part. */
const char *map_part_name(trace_part part);

typedef struct map_cell {
    const trace *room;
    const trace_map *map; /* of the room */
    size_t head, row, column;
} map_cell;

double map_number(const map_cell *cell);

/* Numbers of a head that belong together. */
typedef struct map_pair {
    size_t index, partner; /* the column of the other one */
    bool is_first;
} map_pair;

/* False where the column is of no pair. */
bool map_pair_of(const trace_map *map, size_t column, map_pair *pair);

/* The cell of the map's origin a, or of b, whose number may have gone through the operation as it
 * was; false where none may. Where that is for a factor of 1, factor is this one's cell, else its
 * map is NULL. */
bool map_taken_from(const map_cell *made, bool is_second, map_cell *before, map_cell *factor);

#endif
