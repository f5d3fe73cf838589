/* Layers on top of one another: encoders and decoders as seed 003 draws them, with the norms where
 * the document says.
 *
 * Reading a stack plans all of its layers, so that nothing can fail on a shape while they are
 * computed. A stack borrows its matrices from the document, which must outlive it. */
#ifndef SELFATTN_MODEL_STACK_H
#define SELFATTN_MODEL_STACK_H

#include "attn/engine/multiply.h"
#include "attn/engine/norms.h"
#include "model/attention.h"
#include "model/goal.h"
#include "model/gradient.h"
#include "model/head.h"
#include "model/parts.h"

/* Whether layers are a decoder's. `as` is "encoder" or "decoder" where a command decides it, and
 * the document's "kind" must agree; NULL: the kind says it, else whether there is a memory. */
bool stack_find_kind(const bundle *document, const char *as, bool *is_decoder, err *e);

/* The position-wise feed-forward part of a layer:
 *
 *     hidden = x·w1 + b1,  activated = activation(hidden),  output = activated·w2 + b2,
 *
 * and with a gate (w3) activated = activation(hidden) ⊙ (x·w3 + b3): SwiGLU and its kin. */
/* What a wrong way back does otherwise (src/why), as of norms. */
typedef enum feed_forward_slip {
    FFN_RIGHT,
    FFN_SLOPE_AT_ACTIVATED, /* in the place of hidden */
    FFN_SLOPE_AT_GRAD,
    FFN_UNGATED,        /* what comes back to the activation is not multiplied by the gate */
    FFN_GATE_OF_HIDDEN, /* the gate gains of hidden, before it is activated */
    FFN_X_WITHOUT_GATE, /* x gains nothing of the gate, */
    FFN_X_OF_GATE,      /* or of the gate alone */
    FFN_W2_OF_HIDDEN,   /* w2 gains of hidden */
} feed_forward_slip;

typedef struct feed_forward {
    const activation *by, *slope_of; /* whose slope the way back takes: NULL: the same */
    tensor w1, b1, w2, b2, w3, b3;   /* as used in x·W; borrowed; no data: not there */
    size_t width, hidden;
    packed_weights *kept; /* where its matrices stay packed; NULL: nowhere */
    feed_forward_slip slip;
} feed_forward;

typedef struct expert_mix expert_mix; /* model/experts.h */

/* What a wrong way back does otherwise (src/why): what is added gains twice, or the part itself
 * gives nothing back to its rows. */
typedef enum part_slip { PART_RIGHT, PART_ADDS_TWICE, PART_STOPS } part_slip;

typedef struct layer_part {
    const part_row *as;
    size_t layer;         /* from 0 */
    attention *attention; /* of the kinds that attend; owned, as the others */
    feed_forward *feed_forward;
    expert_mix *experts; /* in its place */
    double scale;        /* of what it adds */
    bool chooses;        /* it goes on with the chosen rows alone, having seen all */
    part_slip slip;
} layer_part;

/* Says after a message of which part it is. Returns false. */
bool layer_part_failed(const layer_part *p, err *e);

typedef struct layer {
    const norm_order *order;
    layer_part *part; /* some of the stack's */
    size_t parts;
    norm norm[NORMS_MOST];
} layer;

typedef struct stack_settings {
    bool is_decoder; /* causal, unless something is said */
    bool allow_nonfinite;
    packed_weights *packed_weights; /* where weights are kept for stacks to come; NULL: nowhere */
    const kept_stages *one_row;     /* of weighted, for a trace; NULL: all rows */
    bool goes_on;     /* rows come after those before, whose keys and values are kept */
    bool keeps_plans; /* of rows before, for what borrows from them until the end */
} stack_settings;

/* What a wrong way back does otherwise (src/why). */
typedef enum stack_slip {
    STACK_RIGHT,
    STACK_OVERWRITES_ROWS,   /* of an id that comes twice, the last row counts */
    STACK_OVERWRITES_MEMORY, /* it gains from the first layer alone that looks at it */
    STACK_FORGETS_IDS,       /* of an embedding that logits are tied to, what ids give back, */
    STACK_FORGETS_TIED,      /* or what logits do */
    STACK_UNEMBEDS_GIVEN,    /* the unembedding gains of rows before the last norm */
    STACK_GAINS_FIRST_TIME,  /* of layers that come several times, weights gain the first time, */
    STACK_GAINS_LAST_TIME,   /* or the last time, alone */
} stack_slip;

/* A product between the rows that are looked up, or given, and the layers: x·w + b. Their widths
 * may differ. */
typedef struct embed_product {
    tensor w, b;          /* as used in x·w; borrowed; no data: there is none */
    bool is_of_looked_up; /* before segments and positions are added; else after the first norm */
    tensor given, made;   /* then the rows it takes, and what it makes of them; owned */
} embed_product;

/* Is told between the ways that it will go back by this tape. False, without an error, ends it. */
typedef struct tape tape;
typedef bool stack_turn(void *context, tape *t);

struct stack {
    const bundle *document;
    stack_settings how;
    dtype type;
    const isa *isa;
    const norm_order *order;     /* of the top, and of the layers that say nothing else */
    size_t batches, rows, width; /* batches 0: no batch axis; rows of one entry */
    size_t table_width;          /* of rows that are looked up, or given */
    size_t before;               /* rows that were computed already */
    size_t *ids;                 /* that the rows are of; NULL: those of the document; owned */
    plan *past_plan;             /* with keeps_plans; owned */
    size_t past_plans, past_room;
    size_t first_position;
    bool adds_sinusoids;
    embed_product product;
    tensor embedded; /* x with positions: b·n × m, or as wide as the product takes; owned */
    tensor input;    /* where a part finds its rows, in the shape of x; owned */
    const row_choice *chosen; /* rows that are computed to the end; NULL: all */
    tensor chosen_input;      /* where parts find those; owned */
    goal goal;                /* what gradients begin with */
    tensor part_grad; /* where a part finds its output's, in the shape of x; no data: nothing goes
                         back; owned */
    layer *layer;
    layer_part *part; /* those of all layers; owned, as they are */
    size_t layers, parts;
    size_t own_layers;       /* that the document has: those after them repeat them */
    bool has_first;          /* a norm before the first layer */
    bool has_end, has_final; /* a feed-forward part, a norm after the last layer */
    feed_forward end;
    norm first, final;
    bool has_logits; /* as a stage of all rows, which no loss makes */
    bool has_head;   /* between the output and the unembedding */
    logits_head head;
    unembedding to_ids;
    double row_scale; /* of rows that are looked up */
    stack_slip slip;
    row_span gained[GAINERS]; /* from which rows parameters gain */
    stack_turn *turn;         /* NULL: none */
    void *turned;             /* context of that */
    stage_change *change;     /* of its keeper */
    void *changed;
};

/* The error, where there is one, is at the entry that is wrong. To be freed in any case, and not to
 * be moved. */
bool stack_read(stack *s, const bundle *document, const stack_settings *how, const isa *by, err *e);
void stack_free(stack *s);

/* The same stack for rows after those that it was computed for: those of these ids. */
bool stack_go_on(stack *s, const size_t *ids, size_t count, err *e);

/* Of stages that know of no other rows only these are computed: from the queries of the last
 * self-attention on, whose keys and values are of all rows, as is all before them. Where rollout is
 * wanted, all are. The rows must outlive the stack, which does not go on. */
bool stack_narrow(stack *s, const row_choice *rows, const text_list *emit, err *e);
/* The same from what comes after the last attention on, which is of all rows; nothing where that is
 * no part. */
bool stack_narrow_after(stack *s, const row_choice *rows, err *e);

/* A flat view of so many numbers, given as a list, a row or a column; no data where `from` has none
 * of this name. `of` is whose it is, where the name alone doesn't say that: the gain of "ln1"; else
 * NULL. */
bool vector_read(const bundle *from, const char *name, const char *of, size_t count, tensor *out,
                 err *e);

/* The weight of a product of rows so wide, as used in x·W; columns 0: as many as it has. */
bool weight_fit(const entry *given, bool is_out_in, size_t rows, size_t columns, tensor *out,
                err *e);

/* The keys of a layer, where the document's layers are repeated, too. */
const bundle *stack_keys_of_layer(const bundle *document, size_t number);

/* The entry that a gradient's name without "_grad" is of: "layer.0.attention.wq", "ln_f.gain", of a
 * document without layers "wq", and "slopes", which are those of alibi and may be a word; NULL:
 * there is none. */
entry *stack_parameter(const bundle *document, const char *name);

/* Whether it is the gradient of a weight that several layers share. Its name becomes that of the
 * first one's: "layer.5.w1_grad", "layer.0.w1_grad". */
bool stack_shares_gradient(const stack *s, char name[STAGE_NAME]);
/* The same, and whether that is another name. */
bool stack_own_gradient(const stack *s, char name[STAGE_NAME]);

/* Whether the stack's head is computed: for logits, or for a loss of them. */
bool stack_makes_head(const stack *s);

/* Whether a layer has cross-attention. */
bool stack_has_cross(const stack *s);

/* "layer.2.output" is of layer 2; false: of none. */
bool stack_stage_layer(const char *name, size_t *number);
/* Of "layer.1.attention.weights" the plan that makes it, where it is there, and which of its stages
 * it is; NULL: rows are all that it can be. */
const plan *stack_plan_of(const stack *s, const char *name, stage_id *id);

#endif
