/* Where every number of a run comes from: the matrices of all heads, and for each what operation
 * makes a cell out of which parts of which others. Steps spell out one row; with this a page can
 * spell out any cell, all the way back to the inputs, without computing anything. */
#ifndef SELFATTN_TRACE_MAP_H
#define SELFATTN_TRACE_MAP_H

#include "trace/trace.h"

struct builder;

/* Fills trace.map out of the run's stages and inputs. */
void map_make(struct builder *b);

/* The map that holds this matrix as its head *head, by its very numbers; NULL where none does. */
const trace_map *map_of(const trace *t, const tensor *matrix, size_t *head);

/* The map of this name, or NULL. */
const trace_map *map_named(const trace *t, const char *name);

#endif
