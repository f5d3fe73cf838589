/* What central differences nudge: an attention (nudged_attention.c) or layers (nudged_layers.c), in
 * float64 and computed forward alone, again for each nudge.
 *
 * A kind of it is a row of functions; differences.c calls these, and does not ask which kind it
 * is. */
#ifndef SELFATTN_CLI_CHECK_NUDGED_H
#define SELFATTN_CLI_CHECK_NUDGED_H

#include "attn/engine/run.h"
#include "cli/run/work.h"

/* With the number nudged, or as it is. */
typedef enum nudged_way { NUDGED_UP, NUDGED_DOWN, NUDGED_NOT, NUDGED_WAYS } nudged_way;

/* A sum, that of its terms' sizes, what rounding and the step may add to it, and that of how the
 * terms bend. */
typedef struct moved {
    double sum, sizes, rounding, bends;
} moved;

/* A term of each way, times `by`. */
void moved_add(moved *to, const double term[NUDGED_WAYS], double by);

/* An attention, whose output and logsumexp move what its loss makes of them. */
typedef struct nudged_attention {
    problem problem;
    tensor in[INPUT_COUNT]; /* owned */
    tensor table;           /* that the bias is read from; owned */
    plan plan;              /* of the way forward */
    bundle stages;          /* as they are: those whose gradients are looked at */
    tensor output_grad, logsumexp_grad;
    bool has_empty_rows;
    run_room *room;
    tensor given[STAGE_COUNT]; /* the stage that is nudged */
    kept_stages wanted;
    bundle made[NUDGED_WAYS]; /* what comes of it */
} nudged_attention;

/* Layers, whose document is read again each time, so that all that they were planned with is made
 * of the nudged number, too. */
typedef struct nudged_layers {
    bundle document; /* in float64 */
    stack_settings how;
    const isa *isa;
    double operations;
    size_t count; /* terms of the loss: of each number of the output, or of each row's logits */
    double each;  /* what the loss multiplies them by */
    double *terms[NUDGED_WAYS]; /* owned */
    bundle stages;              /* as they are: those whose gradients are looked at */
    const entry *given;         /* the one of these that is nudged; NULL: none is */
} nudged_layers;

/* Whether it is the gradient of a stage that a run can begin at. */
bool nudged_can_begin(stage_id id);
/* Stages as wide as scores are not kept where they are larger than that. */
enum { NUDGED_WIDE = 1 << 22 };

typedef struct nudged nudged;

typedef struct nudged_kind {
    /* Refuses what no gradient begins with; else the names of the gradients that can be compared,
     * of which all are small unless `takes_large`; `left` are left out because a run is long. */
    bool (*list)(work *w, bool takes_large, text_list *names, size_t *left, err *e);
    bool (*open)(nudged *n, const work *w, const text_list *names, env *world, err *e);
    /* The numbers that the gradient is of, which are nudged from now on. */
    tensor *(*begin)(nudged *n, const char *name);
    bool (*run)(nudged *n, nudged_way way, err *e);
    /* How the runs are apart. */
    void (*add_moved)(const nudged *n, moved *to);
    double (*operations)(const nudged *n);
    void (*free)(nudged *n);
} nudged_kind;

struct nudged {
    const nudged_kind *kind;
    crew by;
    union {
        nudged_attention attention;
        nudged_layers layers;
    } of;
};

extern const nudged_kind NUDGED_ATTENTION, NUDGED_LAYERS;

#endif
