/* The stages of the pipeline in their order: names, help, the shape of each in letters, what each
 * is made of and how. Where a run keeps them, and what it needs, follows from these rows. */
#ifndef SELFATTN_ATTN_SPEC_STAGE_H
#define SELFATTN_ATTN_SPEC_STAGE_H

#include "base/named.h"
#include "tensor/key.h"

#include <assert.h>

struct problem;

typedef enum stage_id {
    STAGE_X,
    STAGE_XK,
    STAGE_XV,
    STAGE_X_POS,
    STAGE_Q_LATENT,
    STAGE_Q_LATENT_NORM,
    STAGE_KV_LATENT,
    STAGE_KV_LATENT_NORM,
    STAGE_Q_SUM,
    STAGE_K_SUM,
    STAGE_V_SUM,
    STAGE_Q,
    STAGE_K,
    STAGE_V,
    STAGE_Q_NORM,
    STAGE_K_NORM,
    STAGE_Q_ROPE,
    STAGE_K_ROPE,
    STAGE_PRESENT_K,
    STAGE_PRESENT_V,
    STAGE_Q_SCORE,
    STAGE_K_SCORE,
    STAGE_SCORES,
    STAGE_SCALED,
    STAGE_CAPPED,
    STAGE_MASKED,
    STAGE_ROW_MAX,
    STAGE_EXP,
    STAGE_ROW_SUM,
    STAGE_WEIGHTS,
    STAGE_LOGSUMEXP,
    STAGE_ENTROPY,
    STAGE_TOP,
    STAGE_ROUNDED,
    STAGE_WEIGHTED,
    STAGE_ATTENDED,
    STAGE_CONTEXT,
    STAGE_OUTPUT,
    /* Backward: of the loss, then of what each stage was made of. */
    STAGE_LOSS,
    STAGE_OUTPUT_GRAD,
    STAGE_BO_GRAD,
    STAGE_WO_GRAD,
    STAGE_CONTEXT_GRAD,
    STAGE_ATTENDED_GRAD,
    STAGE_DELTA,
    STAGE_WEIGHTS_GRAD,
    STAGE_MASKED_GRAD,
    STAGE_BIAS_GRAD,
    STAGE_KEY_BIAS_GRAD,
    STAGE_RELATIVE_BIAS_GRAD,
    STAGE_SLOPES_GRAD,
    STAGE_SINKS_GRAD,
    STAGE_CAPPED_GRAD,
    STAGE_SCALED_GRAD,
    STAGE_SCORES_GRAD,
    STAGE_Q_SCORE_GRAD,
    STAGE_K_SCORE_GRAD,
    STAGE_WS_GRAD,
    STAGE_BS_GRAD,
    STAGE_WA_GRAD,
    STAGE_UA_GRAD,
    STAGE_VA_GRAD,
    STAGE_BA_GRAD,
    STAGE_PRESENT_K_GRAD,
    STAGE_PRESENT_V_GRAD,
    STAGE_PAST_K_GRAD,
    STAGE_PAST_V_GRAD,
    STAGE_Q_ROPE_GRAD,
    STAGE_K_ROPE_GRAD,
    STAGE_Q_NORM_GRAD,
    STAGE_K_NORM_GRAD,
    STAGE_Q_GAIN_GRAD,
    STAGE_K_GAIN_GRAD,
    STAGE_Q_GRAD,
    STAGE_K_GRAD,
    STAGE_V_GRAD,
    STAGE_Q_SUM_GRAD,
    STAGE_K_SUM_GRAD,
    STAGE_V_SUM_GRAD,
    STAGE_BIAS_K_GRAD,
    STAGE_BIAS_V_GRAD,
    STAGE_WQ_GRAD,
    STAGE_WK_GRAD,
    STAGE_WV_GRAD,
    STAGE_BQ_GRAD,
    STAGE_BK_GRAD,
    STAGE_BV_GRAD,
    STAGE_Q_LATENT_NORM_GRAD,
    STAGE_Q_LATENT_GAIN_GRAD,
    STAGE_Q_LATENT_GRAD,
    STAGE_WQ_DOWN_GRAD,
    STAGE_BQ_DOWN_GRAD,
    STAGE_KV_LATENT_NORM_GRAD,
    STAGE_KV_LATENT_GAIN_GRAD,
    STAGE_KV_LATENT_GRAD,
    STAGE_WKV_DOWN_GRAD,
    STAGE_BKV_DOWN_GRAD,
    STAGE_X_GRAD,
    STAGE_XK_GRAD,
    STAGE_XV_GRAD,
    STAGE_COUNT
} stage_id;

/* Of the backward pass; all before it are forward. */
static inline bool stage_is_backward(stage_id id)
{
    return id > STAGE_OUTPUT && id < STAGE_COUNT;
}

/* How the numbers of a stage come about. */
typedef enum stage_maker {
    STAGE_IS_ROWS,       /* rows of the inputs, as they are or with their positions added */
    STAGE_BY_PROJECTION, /* whole, before the blocks: queries, keys and values in their forms */
    STAGE_BY_BLOCK,      /* a block of a head's queries at a time */
    STAGE_BY_RULE,       /* whole, after the blocks, of stages that are whole */
    STAGE_BY_BLOCK_BACK, /* a block at a time in the second loop, that of gradients */
} stage_maker;

enum { STAGE_TAKES = 4 };

typedef struct stage {
    key key; /* named "weights"; results are read by these rows as documents are by KEYS */
    const char *formula; /* "exp / row_sum" */
    /* One letter an axis: b batch and h heads (only where the problem has them); q, k: n_q, n_k; 1:
     * one; t: as many as --top says; e: d_v; Q, K, V: the projections' widths, heads side by side;
     * r, R: those of the latents of q, of k and v; S: R, and what keys share; C: h·d_v; c: the
     * compared width; O: the output's width; m, M, N: the widths of x, xk, xv. */
    const char *axes;
    stage_maker by;
    /* What it is made of, besides inputs: earlier stages, STAGE_COUNT after the last. Where one of
     * them is not there, what that takes first is meant: without q_norm, q_rope is made of q. */
    stage_id takes[STAGE_TAKES + 1];
    /* Whether a problem that can be planned has it; NULL: each has. */
    bool (*is_there)(const struct problem *asked);
    /* How to say that it is not there: "rounded weights are made by --round". NULL: it always
     * is. */
    const char *made_by;
    bool is_door;  /* made by blocks, and a run may begin at it */
    bool is_extra; /* nothing is meant in its place where it is not there */
    /* Of what a gradient has the shape, and is not there without: a stage, the key of an input, or
     * a setting that is a tensor, by its place in a problem (then `axes` is ""). STAGE_X, NULL and
     * 0: of none. */
    stage_id of;
    const char *of_input;
    size_t of_setting;
} stage;

extern const stage ROWS_OF_STAGES[STAGE_COUNT];
extern const named_table STAGES; /* of ROWS_OF_STAGES */

static inline const stage *stage_row(stage_id id)
{
    assert(id < STAGE_COUNT);
    return &ROWS_OF_STAGES[id];
}

/* Whether it is the gradient of what is given: of an input, or of a setting. */
static inline bool stage_is_of_given(stage_id id)
{
    return stage_row(id)->of_input != NULL || stage_row(id)->of_setting != 0;
}

/* The id of a row that a look-up in STAGES gave. */
stage_id stage_of(const named *row);
/* The row of this name, or of one that kernels and PyTorch give to the stage: "dq", "lse",
 * "grad.wq", "x.grad". NULL: none. */
const named *stage_called(const char *name);

/* The letters of the axes of what a result has under this name: a stage's, also by the way to it in
 * a layer ("layer.0.attention.weights", "step.1.layer.0.cross.q"). "": nobody knows them. */
const char *stage_axes_of(const char *name);

#endif
