/* What will be computed: every shape, mask, scale, buffer and byte, checked and decided. After it
 * nothing can fail on a shape.
 *
 * A plan borrows from its problem. Of inputs (problem.h) it looks at shapes alone, so that it holds
 * for other numbers in the same places. Everything that the loop touches is a view with all its
 * axes, where an axis that an input does not have (one mask for all heads, say) has stride 0. */
#ifndef SELFATTN_ATTN_PLAN_PLAN_H
#define SELFATTN_ATTN_PLAN_PLAN_H

#include "attn/spec/problem.h"
#include "attn/spec/stage.h"

#include <stdatomic.h>
#include <stdint.h>

/* How q, k or v comes about: given directly, or rows·weight + bias. A tensor without data is not
 * there. */
typedef struct projection {
    input given_as, rows_as, weight_as, bias_as;
    tensor given;  /* b × heads × n × width */
    tensor rows;   /* b × n × m, or what a latent is made of */
    tensor weight; /* m × heads·width, or heads × m × width; as used in x·W */
    tensor bias;   /* heads·width long */
    size_t n, heads, width;
    size_t shared; /* of a head's numbers, the last, which are none of the product's: all heads have
                    * those of the latent */
} projection;

/* A projection may be a chain: rows·weight + bias, a norm of that, where it has a gain, and then
 * the product of the projection itself. No data: it is that alone. */
typedef struct latent {
    tensor weight, bias, gain; /* m × width; of the keys m × (width + shared), the norm's alone */
    size_t width;
} latent;

typedef struct plan {
    const problem *asked;
    dtype type;
    const kernels *with;
    size_t batches, heads, kv_heads, n_q, n_k, width_out;
    size_t appended; /* of the n_k keys, the last that are none of the sequence: bias_k, zeros */
    bool has_batch, has_heads;
    projection q, k, v; /* k and v: the new ones, of n_k − past */
    latent q_latent, kv_latent;
    tensor past_k, past_v; /* b × kv_heads × past × width */
    size_t past;
    size_t rope_width;     /* numbers of a head that are turned; 0 = none */
    tensor q_gain, k_gain; /* heads × width, or 1 × all; stride 0 where shared, or no data */
    size_t offset;         /* position of the first query */
    size_t compared_width; /* of q′ and k′ */
    double scale;
    scale_kind scale_kind; /* what it is of; never SCALE_DEFAULT */
    tensor mask, bias;     /* b × h × n_q × n_k */
    tensor key_lengths;    /* b counts; no data: all keys are there */
    tensor wo, bo;         /* h·d_v × width_out, width_out long */
    tensor bias_k, bias_v; /* g·d numbers each; no data: no such rows */
    tensor sinks;          /* h logits; no data: there are none */
    tensor read;           /* from a table of biases, which the bias is a view of; owned */
    tensor buckets;        /* of distances; no data: they have none; owned */
    tensor bucket;         /* b × n_q × n_k, as far as keys are of the sequence; a view of them */
    tensor slopes;         /* of ALiBi, one a head, float64; no data: there is none; owned */
    /* Of all heads, an axis before those of one, of stride 0 where they share; a va or ba that the
     * document does not give is made here, and owned. */
    score_parameters of_score;
    /* Of each forward stage in this problem: the letters of all axes that it can have, "bhqk", and
     * of those that it has, "hqk" where there is no batch. plan_axes says the second of any. */
    const char *all_axes[STAGE_LOSS];
    char axes[STAGE_LOSS][TENSOR_MAX_RANK + 1];
    text_list notes; /* what a person should know, a line each; owned */
} plan;

/* The problem must outlive the plan. False, with the error at the place of the input that does not
 * fit. */
bool plan_make(plan *p, const problem *asked, const kernels *with, err *e);
void plan_free(plan *p);
/* Refuses names, of tokens or of key_tokens, that are not as many as the rows; NULL: there are
 * none. */
bool plan_check_names(const problem *asked, const text_list *names, const char *of, size_t rows,
                      err *e);

bool plan_has_stage(const plan *p, stage_id id);
/* The input or setting that the stage is the gradient of, whose shape it has; NULL: of none. */
const tensor *plan_given_of(const plan *p, stage_id id);
/* The stage, or where it is not there what stands in its place: q_rope without --rope is q_norm,
 * and that may be q. STAGE_COUNT: nothing does. */
stage_id plan_stand_in(const plan *p, stage_id id);
/* Whether the stage is made of `from`, at once or by way of others. */
bool plan_is_made_of(const plan *p, stage_id id, stage_id from);
/* False where it has not, with an error that says what would make the stage. */
bool plan_check_stage(const plan *p, stage_id id, err *e);
/* The letters of its axes; "" of a number, and of what has an input's shape. */
const char *plan_axes(const plan *p, stage_id id);
/* What is given for a gradient or a target, with all axes of the stage that it is like; no data
 * where it is not given. */
tensor plan_given_like(const plan *p, input which);
/* Of a stage that is made. */
void plan_stage_shape(const plan *p, stage_id id, int *rank, size_t size[TENSOR_MAX_RANK]);
/* How many numbers it has; SIZE_MAX: more than an address can hold. */
size_t plan_stage_numbers(const plan *p, stage_id id);
/* The shape as a run lays it out for itself: with all its axes, heads side by side as products make
 * and take rows, apart in the forms of q, k and v after them. */
void plan_whole_shape(const plan *p, stage_id id, int *rank, size_t size[TENSOR_MAX_RANK]);
/* q, k or v, which the stage is one form of; NULL where it is of none alone. */
const projection *plan_role(const plan *p, stage_id id);
/* What a projection takes in place of its rows; no data: nothing. */
const latent *plan_latent(const plan *p, const projection *r);
/* Numbers of a head before those that rotary positions turn: where keys share some, it is the last
 * that are turned. */
size_t plan_rope_first(const plan *p, const projection *r);
/* Beyond which numbers of queries, keys and values are clipped, of the type; 0: none are. */
double plan_clip(const plan *p);
/* How many heads lie side by side in the stage's rows; 1 where they are one head's, or an axis. */
size_t plan_heads_joined(const plan *p, stage_id id);
/* With q of rank 4, the context (and without Wo the output) keeps its heads apart. */
bool plan_keeps_heads_apart(const plan *p);
/* A stage's tensor with an axis of size 1 for each of b and h that it lacks: rank as its axes;
 * borrowed. */
tensor plan_all_axes(const plan *p, stage_id id, const tensor *of);

/* What `count` have in common, with an axis of them before its one or two. */
tensor plan_shared(const tensor *t, size_t count);
/* One head's part of what has all axes, b × h × …; borrowed. */
tensor plan_of_head(const tensor *all, size_t batch, size_t head);

/* Reads the bias from its table again, whose numbers have changed. */
void plan_read_bias(plan *p);
/* The stage that gathers what goes back to the bias: of the input, or of the table that it is read
 * from; and that as the bias is seen, b × h × n_q × n_k, unless it is of buckets. */
stage_id plan_bias_gradient(const plan *p);
tensor plan_seen_as_bias(const plan *p, const tensor *grad);

/* Products of two numbers in scores and attended: what computing costs, but for projections. */
double plan_operations(const plan *p);

/* The keys of the sequence: those that nobody appended. */
size_t plan_own_keys(const plan *p);
bool plan_is_causal(const plan *p);
/* Something takes keys out, or is added to scores: else masked is what comes before it. */
bool plan_masks(const plan *p);

/* The parameters of the score function for one head. */
score_parameters plan_score_parameters(const plan *p, size_t head);

/* Where a query or a new key stands for rotary positions, which may be said one by one; appended
 * rows stand nowhere. */
double plan_query_position(const plan *p, size_t batch, size_t query);
double plan_key_position(const plan *p, size_t batch, size_t index);

/* b × n × heads·width as b × heads × n × width, borrowed. */
tensor plan_split_heads(const tensor *rows, size_t heads);
/* The same of what may have its heads apart already. */
tensor plan_heads_apart(const tensor *t, size_t heads);

/* Of heads that were given no slopes of ALiBi: head's is 2^(−8·index/count). */
typedef struct slope_rule {
    size_t index, count;
} slope_rule;

slope_rule plan_slope_rule(size_t head, size_t heads);
double plan_slope(slope_rule of);

/* A row of a query, counted over batch entries, heads and queries; and what messages call it:
 * "head 1, query 2". */
size_t plan_row_number(const plan *p, size_t batch, size_t head, size_t query);
enum { ROW_NAME = 96 };
void plan_name_row(const plan *p, size_t row, char name[ROW_NAME]);

/* The key/value head that a query head uses. */
size_t plan_kv_head(const plan *p, size_t head);

/* Which keys a query may see, masks apart: causality, a window and the keys' lengths leave a range
 * of keys, and neither end of it moves back from one query to the next. */

/* Where a query stands among the keys, offset or alignment counted: below 0 before the first. */
int64_t visible_position(const plan *p, size_t batch, size_t query);

/* How many keys of a batch entry are there. */
size_t visible_length(const plan *p, size_t batch);

key_range visible_keys(const plan *p, size_t batch, size_t query);

/* ---- what a caller wants of a run: which stages to keep, and to see how far it is. All parts of a
 * run ask what is wanted, and a trace says what it wants without running anything ---- */

/* How far a run is: another thread may look. */
typedef struct run_progress {
    atomic_size_t done, blocks; /* of so many; 0: none is computed yet */
} run_progress;

/* Which stages to keep, in the order in which the result has them. */
typedef struct kept_stages {
    stage_id stage[STAGE_COUNT];
    size_t count;
    /* `weighted` of one row only, n_k × d_v: what a trace shows of it; of all rows where there are
     * at most so `few` queries and keys. */
    bool weighted_is_one_row;
    size_t few;
    size_t batch, head, row;
    run_progress *progress; /* moved on by the run, or NULL */
    /* By stage_id, in the shapes that the plan has for them: stages that are there, from which the
     * run goes on; no data: to be made. They may be forms of q, k and v, and one of scores, masked,
     * weights, attended and context, of which then nothing is wanted that blocks make of earlier
     * stages. Where the context is, all that the way back takes may be next to it: weights, capped,
     * row_max and row_sum, and gradients. NULL: none is there. */
    const tensor *given;
} kept_stages;

bool kept_stages_has(const kept_stages *w, stage_id id);
void kept_stages_add(kept_stages *w, stage_id id); /* once, however often it is called */
bool kept_stages_is_given(const kept_stages *w, stage_id id);

/* Of all keys, also of those that a query may not see: scores as they were before masking are
 * wanted, or what masks have left is given, which may be more than the plan's leave. */
bool kept_stages_all_keys(const kept_stages *w);

/* The stage is `weighted`, and one row of it is meant. */
bool kept_stages_is_one_row(const plan *p, const kept_stages *w, stage_id id);
/* Rank and sizes of a stage as it is kept: plan_stage_shape's, unless one row is meant. */
void kept_stages_shape(const plan *p, const kept_stages *w, stage_id id, int *rank,
                       size_t size[TENSOR_MAX_RANK]);

#endif
