/* The maps of a trace, and what makes their cells. */
#ifndef SELFATTN_TRACE_NODES_H
#define SELFATTN_TRACE_NODES_H

#include "trace/build.h"

/* Adds what has data, once under a name; the map to be completed, a spare one where there is no
 * data. A rank below 3 is one head. */
trace_map *map_add(builder *b, const char *name, step_id step, const tensor *values);
trace_map *map_add_stage(builder *b, stage_id id, step_id step, trace_labels rows);
/* A row each query and a column each key. */
trace_map *map_add_square(builder *b, stage_id id, step_id step);
/* The only cell of each head's matrix. */
trace_map *map_add_number_a_head(builder *b, const char *name, step_id step, tensor numbers);
trace_map *map_add_number(builder *b, const char *name, step_id step, double value);
/* Numbers that no stage holds: heads × rows × columns, float64, to be filled by tensor_set. */
trace_map *map_add_made(builder *b, const char *name, step_id step, size_t heads, size_t rows,
                        size_t columns);

/* One that there is, in the room or in that of the way there; never NULL, also after a failure,
 * where it may be an empty one. */
const trace_map *map_there(const builder *b, const char *name);
/* No part, where there is no such map in either. */
trace_origin map_from(const builder *b, trace_part part, const char *name);
/* A part of a map of the same room. */
typedef struct map_operand {
    trace_part part;
    const char *name;
} map_operand;

/* What makes it: the operands that there are, a to d. The letters follow from that. Without a it is
 * not made. */
void map_say(builder *b, trace_map *m, operation op, const map_operand of[TRACE_OPERANDS]);
void map_say_origins(builder *b, trace_map *m, operation op, const trace_origin of[TRACE_OPERANDS]);

const char *map_name_of(stage_id id);

/* ---- of_gradients.c ---- */

/* Of rows that a norm divided by their root, of heads × rows × width: nodes that the trace makes
 * are called by what stands before, and "root", "gained", "share" and "gain_terms". */
typedef struct norm_back_said {
    const char *before;
    step_id step;
    size_t heads, rows, width;
    trace_labels labels;
    trace_origin of, back;  /* cells: what was divided, and what the result gains */
    trace_origin eps, gain; /* no map: there is no gain */
} norm_back_said;

/* of_attention.c: made of the rows `of`, each pair turned by its angle or (OP_TURN_BACK) back. */
void map_say_turn(builder *b, trace_map *made, operation as, const char *of, const char *angles);

/* Makes what is on the way back; how the gradient of what was divided follows. */
coming map_make_norm_back(builder *b, const norm_back_said *of);
/* After it: what each row gives the gain; the name of the node. */
const char *map_make_gain_terms(builder *b, const norm_back_said *of);

/* After the target, where there is one: the number, and what else is said of its gradient. */
void map_make_loss(builder *b, const loss_said *of, const tensor *number);
void map_say_loss_grad(builder *b, const loss_said *of, trace_map *grad);

#endif
