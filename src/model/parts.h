/* What a layer does one after the other, as each order of norms has it, and what norms and hidden
 * numbers are made by: the tables to which a row is added.
 *
 * A part norms its rows first (before), what it made of them (made), or the sum of that with what
 * it was given (after); `ln` counts from 1, 0 being none. */
#ifndef SELFATTN_MODEL_PARTS_H
#define SELFATTN_MODEL_PARTS_H

#include "kernels/kernels.h"

typedef enum part_kind { PART_ATTENTION, PART_CROSS, PART_FEED_FORWARD } part_kind;

/* What is added to what a part made: nothing, what the part was given, the same once it was normed,
 * or what the layer was given. */
typedef enum residual { RESIDUAL_NONE, RESIDUAL_PART, RESIDUAL_NORMED, RESIDUAL_LAYER } residual;

typedef struct part_row {
    part_kind kind;
    size_t ln_before, ln_made, ln_after;
    residual adds;
    bool is_beside; /* it is given what the layer was, not what the part before it made */
    bool shares;    /* and reads what the part before it read, normed already */
} part_row;

enum { PARTS_MOST = 3, NORMS_MOST = 4 };

/* A layer's parts without cross-attention, and with it. */
typedef struct norm_order {
    named named;
    part_row plain[PARTS_MOST], crossed[PARTS_MOST];
    size_t plain_count, crossed_count;
    bool ends_with_feed_forward; /* one after the last layer, none in them */
} norm_order;

extern const named_table NORM_ORDERS; /* post first: it is the default */

const char *part_name(part_kind kind);     /* "attention", "cross", "ffn" */
const char *part_sum_name(part_kind kind); /* with what is added: "attention_sum" */
const char *part_norm_name(size_t ln);     /* "ln1"; NULL for none */

/* What running a part makes, in this order: a norm of what it is given, what it computes itself,
 * a norm of that, the sum with what is added, a norm of that. Only those that the row has. */
typedef enum part_step_kind { PART_STEP_NORM, PART_STEP_ITSELF, PART_STEP_SUM } part_step_kind;

typedef struct part_step {
    part_step_kind kind;
    size_t ln;        /* of a norm */
    const char *name; /* of the stage; of the part itself, of what its stages are in */
} part_step;

enum { PART_STEPS_MOST = 5 };
size_t part_steps(const part_row *as, part_step step[PART_STEPS_MOST]);

extern const named_table NORM_KINDS; /* layer, rms: plain `named` rows; kernels.h has formulas */

/* What is done to the hidden numbers of a feed-forward part; a new one is a kernel, its
 * slope and a row. */
typedef struct activation {
    named named;                         /* its help is its formula */
    const char *spelled, *slope_spelled; /* of a number (attn/spec/operation_list.h) */
    const char *numpy;                   /* of an array, likewise */
    void (*apply)(const kernels *with, const void *x, size_t n, void *out);
    /* How it grows at x, by the kernels of float64, in which x and out are. */
    void (*slope)(const kernels *in64, const double *x, size_t n, double *out);
    double limit; /* x is at most this, a gate from −limit to it, and 1 is added; 0: neither */
} activation;

extern const named_table ACTIVATIONS; /* relu first: it is the default */

#endif
