/* What a trace must tell: the numbers of one run, out of the stages that the run emitted and the
 * document that it read. None of it comes from what makes traces; of the program only the JSON
 * reader is used. */
#ifndef SELFATTN_TESTS_TRACE_TRUTH_H
#define SELFATTN_TESTS_TRACE_TRUTH_H

#include "tensor/bundle.h"

#include <stdint.h>

/* How the trace was asked for; counted from 0. */
/* Of causal attention the last row, which sees the most; else the first. */
#define ROW_BY_DEFAULT SIZE_MAX

typedef struct asked {
    dtype type;
    int digits; /* −1: at most four decimals */
    bool is_full;
    size_t row, head, batch;
} asked;

typedef struct truth {
    bundle document, stages;
    asked how;
    bool has_batch, has_heads, is_out_in;
    size_t batches, heads, kv_heads, n_q, n_new, n_k, d_k, d_v; /* n_new: behind a cache */
    size_t own; /* of the n_k keys, those that nobody appended */
    /* The keys' and the values' names, those of appended rows too, "" for a cache's and
     * where there is none; empty: as the document has them. */
    text_list keys, values;
    tensor joined; /* the context of heads that came apart, side by side as Wo takes them */
} truth;

bool truth_open(truth *t, const char *document, const char *stages, const asked *how, err *e);
void truth_close(truth *t);

/* An input of the document, a stage as the run emitted it; NULL: it is not there. */
const tensor *truth_input(const truth *t, const char *name);
const tensor *truth_kept(const truth *t, const char *name);
/* What a setting counts, or what it counts where it is not said. */
size_t truth_count(const truth *t, const char *name, size_t otherwise);

/* All that follows is borrowed; without data: not there. */

/* A stage of the focus's batch, and of one head where it has heads. */
tensor truth_stage(const truth *t, const char *name, size_t head);
/* The same with the heads' columns side by side, unless they came apart: q, k, v, context, output,
 * x. */
tensor truth_rows(const truth *t, const char *name);
/* The rows that Wo takes, and what they are called: "context", or "joined". */
tensor truth_joined(const truth *t, const char **name);
/* wq, wk, wv, wo, ws, wa, ua as x·W uses it; one head's columns or matrix. */
tensor truth_weight(const truth *t, const char *name);
tensor truth_weight_of_head(const truth *t, const char *name, size_t head);
/* bq, va, …: `count` numbers of one head, or of all where they are shared. */
tensor truth_vector(const truth *t, const char *name, size_t count, size_t head);
/* What is added to the scaled scores of the focus's batch and head, n_q × n_k. */
tensor truth_bias(const truth *t);
/* There is one row of it, and all queries get the same. */
bool truth_has_one_bias(const truth *t);

/* The last form of q, k or v, which scores and weights are taken of: "present_k". */
const char *truth_last_form(const truth *t, char which);
/* Rotary positions: how the document says it, and where the row of a query (or new key) stands. */
typedef struct truth_turns {
    double base;
    size_t width;
    bool is_interleaved;
} truth_turns;

truth_turns truth_rope(const truth *t);
double truth_position(const truth *t, bool is_key);

/* q_gain or k_gain of the head that this query head uses. */
tensor truth_gain(const truth *t, char which, size_t head);

const char *truth_word(const truth *t, const char *name); /* of a setting, or "" */
bool truth_number(const truth *t, const char *name, double *value);
bool truth_has(const truth *t, const char *name);
/* The matrix that q, k or v was projected from: "x", "xk", "xv"; NULL where it was given. */
const char *truth_source(const truth *t, char which);
/* The head of k and v that the focus's query head uses. */
size_t truth_kv_head(const truth *t, size_t head);
/* The row of the keys that is spelled out: none that is appended. */
size_t truth_key_row(const truth *t);
/* The factor of the scores. */
double truth_scale(const truth *t);
/* The stage that bias and mask change: the last before them that did something. */
const char *truth_unmasked(const truth *t);
/* Where the focus's query stands among the keys, from 0 and whatever rope says; its head's slope of
 * ALiBi. */
long truth_place(const truth *t);
double truth_slope(const truth *t);
/* It is 2^(−8·index/count); count is 0 where it was given. */
typedef struct truth_power {
    size_t index, count;
} truth_power;

truth_power truth_slope_power(const truth *t);
bool truth_is_causal(const truth *t);
/* How many keys the focus's query may see; how many there are in its batch entry. */
size_t truth_visible(const truth *t);
size_t truth_length(const truth *t);
/* A side of the window, 0 or 1: −1 where it is open, or where there is none. */
long truth_window(const truth *t, size_t side);
const text_list *truth_tokens(const truth *t, bool of_keys);
const text_list *truth_value_tokens(const truth *t);
/* Of the new keys, which a cache's may stand before. */
const text_list *truth_new_tokens(const truth *t);
const text_list *truth_new_value_tokens(const truth *t);

double number_at(const tensor *t, size_t row, size_t column);
double number_of(const tensor *t, size_t index);

#endif
