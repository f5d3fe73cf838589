/* The parts of making maps, one file each; only map.c calls them, in this order. A part adds what
 * a run has, and says where its cells come from: a map that others name must be there before. */
#ifndef SELFATTN_TRACE_MAP_PARTS_H
#define SELFATTN_TRACE_MAP_PARTS_H

#include "trace/build.h"

/* map_roles.c: inputs, projections and positions, up to what is compared. */
void map_add_roles(builder *b);
/* map_scores.c: from scores to weights. */
void map_add_scores(builder *b);

/* map_find.c: a tensor of rank 0 to 2 as one head's matrix. */
tensor map_heads_of(const tensor *t);

/* map_parts.c */

/* Adds what has data, once under a name; the map to be completed, a spare one where there is no
 * data. A rank below 3 is one head. */
trace_map *map_add(builder *b, const char *name, step_id step, const tensor *values);
trace_map *map_add_stage(builder *b, stage_id id, step_id step, trace_labels rows,
                         trace_labels columns);
trace_map *map_add_number(builder *b, const char *name, step_id step, double value);
/* Numbers that no stage holds: heads × rows × columns, float64, to be filled by tensor_set. */
trace_map *map_add_made(builder *b, const char *name, step_id step, size_t heads, size_t rows,
                        size_t columns);

/* No part, where there is no such map. */
trace_origin map_from(const builder *b, trace_part part, const char *name);
/* What makes it: the operands that there are, a to d. The letters follow from that. Without a it is
 * not made. */
void map_say(builder *b, trace_map *m, operation op, const trace_origin of[TRACE_OPERANDS]);

/* map_roles.c: the rows of `of` plus `learned` plus sines and cosines of their positions, from
 * `first` on. */
void map_say_waves(builder *b, trace_map *sums, trace_origin of, trace_origin learned,
                   double first);

const char *map_name_of(stage_id id);

#endif
