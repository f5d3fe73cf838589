/* Where every number of a run comes from: the matrices of all heads, and for each what operation
 * makes a cell out of which parts of which others. Steps spell out one row; with this a page can
 * spell out any cell, all the way back to the inputs, without computing anything. */
#ifndef SELFATTN_TRACE_MAP_H
#define SELFATTN_TRACE_MAP_H

#include "trace/trace.h"

struct builder;

/* Fills trace.map out of the run's stages and inputs. */
void map_make(struct builder *b);

/* Where a matrix lies in a map: in which head, from which column on. */
typedef struct map_place {
    size_t head, column;
} map_place;

/* The map that holds this matrix, by its very numbers, as a head of it or as one of the heads that
 * lie side by side; NULL where none does. */
const trace_map *map_of(const trace *t, const tensor *matrix, map_place *at);

/* The map of this name, or NULL. */
const trace_map *map_named(const trace *t, const char *name);

#endif
