/* What the steps between the attentions of a stack are written with. */
#ifndef SELFATTN_TRACE_FLOORS_H
#define SELFATTN_TRACE_FLOORS_H

#include "trace/nodes.h"

/* Rows that go on, and what the trace calls them. */
typedef struct floor_rows {
    const char *name;
    tensor values;          /* of the focus's batch, n × m */
    trace_map *map;         /* that holds them */
    const trace_room *room; /* of the map */
} floor_rows;

typedef struct floors {
    trace *out;
    const stack *stack;
    const bundle *result;
    trace_focus focus;
    bool is_full;
    const text_list *asked; /* words that mean steps; NULL: all steps */
    err *e;
    const layer *layer;          /* NULL: above or below all of them */
    stage_way way;               /* to the stages of the layer */
    const char *step, *step_way; /* of a generation: "step 2, " and "step.1."; else "" */
    const text_list *keys;       /* names of all rows so far, or NULL */
    size_t first_room;           /* where the stack's own rooms begin */
    const char *place;           /* "layer 1, ", or "" */
    const char *floor;           /* "layer 1" */
    trace_labels labels;         /* of rows */
    builder b;                   /* of the room that is being made */
    trace_room spare_room;       /* that is filled after a failure, and never shown */
} floors;

/* All rooms of the stack, one after the other. The builder remembers a failure. */
void floors_of_stack(floors *f, floor_rows *rows);
/* What a step of the room that is at the way is wanted as. */
step_wish floors_wish(const floors *f, const char *way, const char *room, step_id id);
/* How many layers have the weights of this one, and which of them it is. */
shared_gains floors_shared(const floors *f);
/* A new room, empty: from now on it is one of the house's. */
trace_room *floors_next(floors *f);
/* Says where the room is, and lets what follows be added to it. */
void floors_enter(floors *f, trace_room *room, const char *name, const char *way);
/* A room with one step, named by the place and `name`, or none where it was not asked for; whether
 * it is told what the step shows. */
bool floors_begin(floors *f, step_id step, const char *name);
/* The last room of this name, on this way in its step, of so many that are there; NULL: none. */
const trace_room *floors_room(const floors *f, size_t rooms, const char *way, const char *name);
/* A stage of the layer; it has no map yet. */
floor_rows floors_rows(const floors *f, const char *name);
/* The map of a stage; the rows know it from then on. */
trace_map *floors_map_rows(floors *f, floor_rows *rows);
/* Rows of the run's type that no stage holds. */
trace_map *floors_made_rows(floors *f, const char *name, size_t columns);
void floors_map_copy(floors *f, const floor_rows *of, floor_rows *made);
/* A room with a step each, whose rows go on. Where its numbers come from: a
 * map is called what its stage is, and what no stage holds after the stage that is made of it:
 * ln1.mean, ln1.centered, ln1.unit. */
void floors_norm(floors *f, const norm *n, const char *name, floor_rows *rows);
/* residual_scale in the room of that sum, or of its way back, as it is used; its name there. */
const char *floors_factor(floors *f, const char *of, double factor);
void floors_sum(floors *f, const floor_rows *added, double scale, const char *name,
                floor_rows *rows);
void floors_feed_forward(floors *f, const feed_forward *by, floor_rows *rows);
void floors_experts(floors *f, const expert_mix *by, floor_rows *rows);
/* The matrices of a feed-forward part by their keys, in the order in which they are used; no data:
 * not there. */
enum { FLOOR_WEIGHTS = 6 };

typedef struct floor_weights {
    struct {
        const char *key;
        const tensor *numbers;
    } one[FLOOR_WEIGHTS];
} floor_weights;

floor_weights floors_weights(const feed_forward *by);
/* A stage that a rule makes: how many rows and columns it has follows from that part. */
trace_map *floors_ruled(floors *f, floor_rows *made, const char *letters, trace_origin of);
/* Of a row for each number of experts what the `top` chosen ones have, in the order of their
 * numbers. */
trace_map *floors_chosen(floors *f, const char *name, size_t top, const floor_rows *of);
/* Up to its norm. */
/* The product between the rows and the layers. */
void floors_embed(floors *f, floor_rows *rows);
void floors_head(floors *f, const logits_head *by, floor_rows *rows);
/* What goes in, and the rows that it becomes. */
void floors_embedded(floors *f, floor_rows *made);
/* Who looked at whom, through all layers. */
void floors_rollout(floors *f);

/* ---- floors_back.c: the rooms of the way back, each after the one there and called by what its
 * result gains, "ln1_grad"; what comes back becomes what goes on ---- */

/* A copy of a map's rows. */
coming coming_of(const trace_room *room, const trace_map *map);
/* A room with one step, as floors_begin, of the way back through the room of this name. */
bool floors_begin_back(floors *f, step_id step, const char *name);
void floors_loss(floors *f, coming *back);
void floors_norm_back(floors *f, const norm *n, const char *name, coming *back);
/* What goes around the part, while `back` goes to it. */
coming floors_sum_back(floors *f, double scale, const char *name, coming *back);
/* own: the layer's keys, or the document. */
void floors_feed_forward_back(floors *f, const feed_forward *by, const bundle *own, coming *back);
void floors_embed_back(floors *f, coming *back);
void floors_experts_back(floors *f, const expert_mix *by, const bundle *own, coming *back);
/* own: the head's keys. */
void floors_head_back(floors *f, const logits_head *by, const bundle *own, coming *back);
/* What comes back to the rows that a layer made, and that it was given. */
void floors_layer_output_back(floors *f, size_t number, coming *back);
void floors_layer_x_back(floors *f, coming *back);
/* memory: what comes back to it; no map: nothing does. */
void floors_embedded_back(floors *f, coming *back, const coming *memory);

#endif
