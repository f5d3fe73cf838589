/* The names under which libraries keep the weights of an attention layer: one row a convention, so
 * that --bundle reads their files as they are.
 *
 * A row's names are patterns, in which * stands for `weight` in the name of a matrix and for `bias`
 * in that of its bias; several, with spaces between, are alternatives. In a file they stand behind
 * the name of the layer, as in h.0.attn.c_attn.weight; / and . are one there, and a variable's :0
 * at the end is no part of a name. */
#ifndef SELFATTN_WEIGHTS_CONVENTIONS_H
#define SELFATTN_WEIGHTS_CONVENTIONS_H

#include "attn/problem.h"
#include "base/named.h"
#include "base/text.h"

/* How Wq, Wk and Wv lie in what a file holds. */
typedef enum weight_cut {
    CUT_APART,       /* one matrix each; of rank 3, they are m × h × d, and Wo is h × d × m */
    CUT_HALVES,      /* Wq apart, and one matrix: all columns (out-in: rows) of Wk, of Wv */
    CUT_THIRDS,      /* one matrix: all columns (out-in: rows) of Wq, of Wk, of Wv */
    CUT_BY_HEADS,    /* the same with h, g and g heads of columns, g of --kv-heads */
    CUT_HEAD_BY_HEAD /* one matrix: head 1's columns of Wq, of Wk, of Wv, then head 2's, … */
} weight_cut;

/* A name behind the layer's whose numbers would change the result and are not computed, and the key
 * of a document that gives what they say in another way, or leaves it out. */
typedef struct refusal {
    const char *name, *key;
    const char *why;    /* behind the whole name in the error; NULL: it takes part */
    bool is_shared;     /* layers whose names differ by numbers alone take it from one of them */
    const char *except; /* layers whose names end so have it and don't use it; or NULL */
} refusal;

typedef struct convention {
    named named; /* help: whose names they are */
    weight_layout layout;
    weight_cut cut;
    const char *q, *k, *v, *out; /* patterns; k and v are NULL where q's matrix holds all three */
    const char *weight, *bias;   /* what * stands for */
    const char *joint_bias;      /* one vector of three biases beside matrices apart, or NULL */
    const char *bias_k, *bias_v; /* the rows behind all keys and values, or NULL */
    const char *sinks;           /* a logit a head in the sum of weights, or NULL */
    const char *q_gain, *k_gain; /* the gains of each head's RMS norm, or NULL */
    const char *one_more; /* a name beside the layer of models whose gains are 1 + what is there */
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

/* What may stand beside weights and biases, and is used as it is. */
enum { CONVENTION_BESIDE = 5 };
extern const input CONVENTION_INPUTS[CONVENTION_BESIDE];

/* "c_attn.weight", from the n-th alternative (from 0) of the pattern of Wq, Wk, Wv, Wo, bq, bk, bv,
 * bo or one of those beside them; false behind the last. */
enum { CONVENTION_NAME = 64 };
bool convention_name(const convention *row, input which, size_t n, char out[CONVENTION_NAME]);

/* True when `name` is some layer's name and then `tail`; *layer is the length of the former, which
 * is empty or ends with a separator. */
bool convention_name_ends(const char *name, const char *tail, size_t *layer);

/* True when the layer of this name is not refused, whatever it has. */
bool convention_excepts(const refusal *row, const char *layer);

/* True when both names of layers are one, but for the numbers in them. */
bool convention_layers_alike(const char *name, size_t length, const char *layer);

/* "Wq, Wk, Wv: c_attn.weight, side by side; Wo: c_proj.weight; …": a row for help and manual. */
void convention_describe(text *out, const convention *row);

#endif
