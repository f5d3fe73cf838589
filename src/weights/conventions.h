/* The names under which libraries keep the weights of an attention layer: one row a convention, so
 * that --bundle reads their files as they are.
 *
 * A row's names are patterns, in which * stands for `weight` in the name of a matrix and for `bias`
 * in that of its bias; several, with spaces between, are alternatives. In a file they stand after
 * the name of the layer, as in h.0.attn.c_attn.weight; / and . are one there, and a variable's :0
 * at the end is not a part of a name. */
#ifndef SELFATTN_WEIGHTS_CONVENTIONS_H
#define SELFATTN_WEIGHTS_CONVENTIONS_H

#include "attn/spec/problem.h"
#include "base/named.h"
#include "base/text.h"
#include "model/parts.h"
#include "weights/names.h"

/* How Wq, Wk and Wv lie in what a file holds. */
typedef enum weight_cut {
    CUT_APART,        /* one matrix each; of rank 3, they are m × h × d, and Wo is h × d × m */
    CUT_HALVES,       /* Wq apart, and one matrix: all columns (out-in: rows) of Wk, of Wv */
    CUT_THIRDS,       /* one matrix: all columns (out-in: rows) of Wq, of Wk, of Wv */
    CUT_BY_HEADS,     /* the same with h, g and g heads of columns, g of --kv-heads */
    CUT_HEAD_BY_HEAD, /* one matrix: head 1's columns of Wq, of Wk, of Wv, then head 2's, …; with
                         fewer heads of keys, of each those of Wq that share it */
    CUT_HALF_BY_HEAD /* Wq apart, and one matrix: head 1's columns of Wk, of Wv, then head 2's, …;
                         how many are of Wv, Wo tells */
} weight_cut;

/* A name after the layer's whose numbers would change the result and are not computed, and the key
 * of a document that gives what they say in another way, or leaves it out. */
typedef struct refusal {
    const char *name, *key;
    const char *why;    /* after the whole name in the error; NULL: it takes part */
    bool is_shared;     /* layers whose names differ by numbers alone take it from one of them */
    const char *except; /* layers whose names end so have it and don't use it; or NULL */
} refusal;

typedef struct convention {
    named named; /* help: whose names they are */
    weight_layout layout;
    weight_cut cut;
    const char *q, *k, *v, *out; /* patterns; k and v are NULL where q's matrix holds all three */
    const char *weight, *bias;   /* what * stands for; NULL: just these words */
    const char *joint_bias;      /* one vector of three biases besides matrices apart, or NULL */
    const char *bias_k, *bias_v; /* the rows after all keys and values, or NULL */
    const char *sinks;           /* a logit a head in the sum of weights, or NULL */
    const char *q_gain, *k_gain; /* the gains of each head's RMS norm, or NULL */
    const char *q_down,
        *kv_down; /* what latents are made by, whose gains no layer lacks; or NULL */
    const char *q_latent_gain, *kv_latent_gain;
    const char *one_more; /* a name next to the layer of models whose gains are 1 + what is there */
    const char *relative; /* in the first layer, of all: numbers by distance, or NULL */
    const refusal *refused; /* the last one's name is NULL; NULL: there are none */
    /* What models of these names compute, which a note says where nobody else does. */
    bool is_causal;
    const char *scale; /* NULL: the default one */
} convention;

extern const named_table CONVENTIONS; /* rows of `convention`; the document's own names first */

const convention *convention_at(size_t index);
/* The document's own keys, of which other names than those of weights are read too. */
bool convention_is_own(const convention *row);
/* Whether Wq is where Wk and Wv are. */
bool convention_is_joint(const convention *row);

/* What may stand besides weights and biases, and is used as it is. */
enum { CONVENTION_BESIDE = 11 };
extern const input CONVENTION_INPUTS[CONVENTION_BESIDE];
bool convention_is_beside(input which);
/* Whether no layer of these names can do without it. */
bool convention_needs(const convention *row, input which);

/* What * stands for in its names, of a matrix or of a bias. */
const char *convention_word(const convention *row, bool is_bias);
/* "c_attn.weight", from the n-th alternative (from 0) of the pattern of Wq, Wk, Wv, Wo, bq, bk, bv,
 * bo or one of those besides them; false after the last. */
bool convention_name(const convention *row, input which, size_t n, char out[NAME_MOST]);

/* ---- layers ---- */

/* The names that libraries and models give to what a layer has besides its attention, and what such
 * names mean: a row a convention. */

/* What a layer has besides attention, and what is besides the layers: a gain or a matrix, and its
 * bias. */
enum {
    LN1,
    LN2,
    LN3,
    LN4,
    W1,
    W2,
    W3,
    ROUTER,
    CHOICE_BIAS,
    EXPERT_W1,
    EXPERT_W2,
    EXPERT_W3,
    SHARED_W1,
    SHARED_W2,
    SHARED_W3,
    LN_E, /* the norm of embedded rows */
    LN_F,
    EMBEDDING,
    SEGMENTS,
    POSITIONS,
    EMBED_W,
    HEAD_W,
    HEAD_NORM,
    UNEMBEDDING,
    NAMED_PART_COUNT
};

/* Of a layer that has experts, or that has none. */
typedef enum part_of { PART_OF_EACH, PART_OF_PLAIN, PART_OF_MIXTURE } part_of;

typedef struct named_part {
    const char *label;
    const char *key, *bias;         /* of the document: "ln1.gain"; NULL: it has none */
    const char *words, *bias_words; /* how its names end; NULL: as those of attention do */
    bool is_norm;
    /* {} in its names stands for the number of each expert, from 0; without it one name holds those
     * of all, one after the other. */
    bool is_of_expert;
    part_of of;
    bool is_beside, climbs; /* it is in what the layers are in, or (climbs) further up */
    bool is_of_all;         /* no model that has a name for it, by config.json, is without it */
    weight_layout layout;   /* of its own; else the convention's */
} named_part;

extern const named_part NAMED_PARTS[NAMED_PART_COUNT];

/* How the part's names, or its bias's, end next to such an attention. */
const char *named_part_words(const named_part *part, const convention *attention, bool is_bias);

/* The settings that the names imply; a row has NULL for those that they leave open. */
enum { IMPLIED_SETTINGS = 5 };
extern const char *const IMPLIED_KEYS[IMPLIED_SETTINGS];

/* In a file a layer's names stand after its own, as in h.0.mlp.c_fc.weight. Whether they end with
 * weight or kernel, and which way the matrices lie, is to be said by the convention of its
 * attention; a norm's end with weight, gamma or scale, and bias or beta. Several names with spaces
 * between are alternatives, in a layer first the one next to cross-attention; NULL: there is no
 * such thing. */
typedef struct layer_convention {
    named named;                   /* help: whose names they are */
    const char *attention, *cross; /* where their names are, in one of the CONVENTIONS */
    const char *part[NAMED_PART_COUNT];
    size_t position_row;                   /* of the first position: rows before it are padding's */
    const char *buffers;                   /* in a layer, and without a part in the result */
    const char *implied[IMPLIED_SETTINGS]; /* unless given, in the order of IMPLIED_KEYS */
    double eps;                            /* of all norms; 0: not said */
    const char *open, *hint; /* a key that no file of these names has, and what to do about it */
    bool needs_config;       /* what they mean only config.json says, which asks for the row */
    bool interleaves_gate;   /* experts' w1 and w3 are the even and the odd outputs of one matrix */
    weight_layout of_experts;     /* if it is not that of attention's names */
    bool joins_gate;              /* w1 and w3 are halves of one matrix's outputs, in this order */
    bool is_one_for_all;          /* the file has one layer; config.json says how often it comes */
    bool ends_bare;               /* there is a norm after the last layer, and no name of it */
    bool final_climbs;            /* the norm after the last layer may be further up */
    const char *embeds_before;    /* where its product stands: embed.before; or NULL */
    const char *head_activation;  /* head.activation; NULL: config.json's, or that of the layers */
    const char *without_first;    /* the order of norms of a layer that has no ln1; or NULL */
    const char *unembedding_bias; /* a name besides, of a tied unembedding; or NULL */
} layer_convention;

extern const named_table LAYER_CONVENTIONS; /* the document's own names first */

const layer_convention *layer_convention_at(size_t index);

/* Whether models of this config.json, which may be NULL, have these names. */
bool layer_convention_may_be(const layer_convention *row, const model_config *of);

/* Of rows that share their names, the one of models that stand in `before` ("roberta.encoder."), or
 * whose tables of positions and of segments have so many rows; 0: there is none. */
const layer_convention *layer_convention_settle(const layer_convention *row, const char *before,
                                                size_t positions, size_t segments);

/* ---- rows of the conventions, for help and manual ---- */

/* "Wq, Wk, Wv: c_attn.weight, side by side; Wo: c_proj.weight; …": a row for help and manual. */
void convention_describe(text *out, const convention *row);
/* "attention in attn; ln1: ln_1; …" */
void layer_convention_describe(text *out, const layer_convention *row);

#endif
