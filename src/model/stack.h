/* Layers on top of one another: encoders and decoders as seed 003 draws them, with the norms where
 * the document says.
 *
 * Reading a stack plans all of its layers, so that nothing can fail on a shape while they are
 * computed. A stack borrows its matrices from the document, which must outlive it. */
#ifndef SELFATTN_MODEL_STACK_H
#define SELFATTN_MODEL_STACK_H

#include "attn/plan/kv_cache.h"
#include "attn/spec/row_choice.h"
#include "model/attention.h"
#include "model/feed_forward.h"
#include "model/norm.h"
#include "model/parts.h"

/* Whether layers are a decoder's. `as` is "encoder" or "decoder" where a command decides it, and
 * the document's "kind" must agree; NULL: the kind says it, else whether there is a memory. */
bool stack_find_kind(const bundle *document, const char *as, bool *is_decoder, err *e);

typedef struct layer_part {
    const part_row *as;
    attention *attention; /* of the kinds that attend; owned, as all of these */
    kv_cache *cache;      /* of a stack that goes on */
    memory_rows *seen;    /* the same of cross-attention */
    feed_forward *feed_forward;
} layer_part;

/* Changes the rows that a layer made, b·n × m: with mistakes, to find somebody's. */
typedef void layer_change(void *context, tensor *rows);

typedef struct layer {
    const norm_order *order;
    layer_part part[PARTS_MOST];
    size_t parts;
    norm norm[NORMS_MOST];
    layer_change *change; /* NULL: as ever */
    void *context;        /* of that */
} layer;

typedef struct stack_settings {
    bool is_decoder; /* causal, unless something is said */
    bool allow_nonfinite;
    packed_weights *packed_weights; /* where weights are kept for stacks to come; NULL: nowhere */
    const kept_stages *one_row;     /* of weighted, for a trace; NULL: all rows */
    bool goes_on;     /* rows come after those before, whose keys and values are kept */
    bool keeps_plans; /* of rows before, for what borrows from them until the end */
} stack_settings;

typedef struct stack {
    const bundle *document;
    stack_settings how;
    dtype type;
    const isa *isa;
    const norm_order *order;     /* of the top, and of the layers that say nothing else */
    size_t batches, rows, width; /* batches 0: no batch axis; rows of one entry */
    size_t before;               /* rows that were computed already */
    size_t *ids;                 /* that the rows are of; NULL: those of the document; owned */
    plan *past_plan;             /* with keeps_plans; owned */
    size_t past_plans, past_room;
    size_t first_position;
    bool adds_sinusoids;
    tensor embedded; /* x with positions: b·n × m, owned */
    tensor input;    /* where a part finds its rows, in the shape of x; owned */
    layer *layer;
    size_t layers;
    bool has_first;          /* a norm before the first layer */
    bool has_end, has_final; /* a feed-forward part, a norm after the last layer */
    feed_forward end;
    norm first, final;
} stack;

/* The error, where there is one, is at the entry that is wrong. To be freed in any case, and not to
 * be moved. */
bool stack_read(stack *s, const bundle *document, const stack_settings *how, const isa *by, err *e);
void stack_free(stack *s);

/* The same stack for rows after those that it was computed for: those of these ids. */
bool stack_go_on(stack *s, const size_t *ids, size_t count, err *e);

/* Bytes that computing these stages will allocate. */
bool stack_memory(const stack *s, const text_list *emit, size_t threads, size_t *bytes, err *e);

/* Bytes of these stages themselves; SIZE_MAX where they are more than an address can hold. */
bool stack_stages_memory(const stack *s, const text_list *emit, size_t *bytes, err *e);

/* Bytes that the caches of a stack that goes on take, when they have so many rows. */
bool stack_cache_memory(const stack *s, size_t rows, size_t *bytes, err *e);

/* Multiply-adds, about. */
double stack_operations(const stack *s);

/* Whether a layer has cross-attention. */
bool stack_has_cross(const stack *s);

/* Whether what comes from which row can be followed through its layers: each self-attention is over
 * the rows that go in, and their sum with what it makes goes on. */
bool stack_has_rollout(const stack *s);

/* Is told of all stages, in the order in which they are made: the name, and how wide its rows are
 * (0: an attention's, which has axes of its own). False, with the error set, ends it. */
typedef bool stack_stage_visitor(void *context, const char *name, size_t width, err *e);
bool stack_each_stage(const stack *s, stack_stage_visitor *visit, void *context, err *e);
bool stack_stage_names(const stack *s, text_list *names, err *e);
/* Whether there are stacks with a stage of this name that one attention alone does not have. */
bool stack_may_have_stage(const char *name, size_t length);
/* The letters of the axes of what a stack's result has under this name, as of an attention's. */
const char *stack_axes_of(const char *name);
/* The same of a matrix that was read: its first axes may be a batch or heads, and where its name is
 * a stage's, that says which. Stages have all their axes, of which b and h may be missing. */
void stack_find_axes(entry *one);
/* Adds to `to`, of each matrix that has a name of these stages and as many queries as there are
 * rows to choose from, a copy of the chosen ones; borrows others. */
bool stack_choose_rows(const row_choice *rows, const bundle *from, bundle *to, err *e);

/* Adds the stages that `emit` names to `result`. */
bool stack_run(const stack *s, const text_list *emit, crew *by, bundle *result, run_report *report,
               err *e);

#endif
