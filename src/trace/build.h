/* What the steps' files write with: a builder that remembers a failure, so that a step reads as the
 * lecture that it is. */
#ifndef SELFATTN_TRACE_BUILD_H
#define SELFATTN_TRACE_BUILD_H

#include "trace/stack_trace.h"

/* Gradients of weights that several layers have: which, of how many layers, and which of these one
 * is, from 0. */
typedef struct shared_gains {
    bool is_shared[STAGE_COUNT];
    size_t layers, nth;
} shared_gains;

/* What comes back to rows, before it has a map of its own: how that would be made. */
typedef struct coming {
    operation op;
    trace_origin of[TRACE_OPERANDS];
    const struct activation *function; /* of OP_ACTIVATE_BACK */
    const shared_gains *shared;        /* NULL: there are no layers */
} coming;

typedef struct builder {
    trace *trace;        /* the house, */
    trace_room *room;    /* the room that is being made, */
    trace_step *step;    /* and its step, to which items are added */
    const plan *plan;    /* of an attention; else NULL */
    const kernels *with; /* of the run, for numbers that it does not keep */
    const bundle *result;
    trace_focus focus;
    bool is_full;
    bool shows_all_rows; /* worked out too: of a small run where no row was asked for */
    bool failed;
    size_t head;       /* that items are of, as they say it */
    trace_while holds; /* on what it depends that items are said, */
    bool waits;        /* and whether that is not so yet */
    tensor joined;     /* build_joined's copy, once it is made */
    coming comes;      /* of an attention on the way back through layers: how what its output gains
                         * is made; no map: by a loss of its own */
    err *e;
    /* What is written to after a failure, and of a map that has no data; nobody shows them. */
    trace_item spare_item;
    trace_map spare_map;
    trace_step spare_step;
} builder;

/* Begins a step, to which items are added from now on: one more of the room's and of the house's,
 * or one that is not shown, which gets no items. */
void build_step(builder *b, step_id id, const char *name);
void build_unshown_step(builder *b, step_id id, const char *name);

/* Text that lives as long as the trace. */
const char *build_text(builder *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

trace_item *build_sentence(builder *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
trace_item *build_formula(builder *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A new item of the step to be filled; a spare one after a failure, so never NULL. */
trace_item *build_item(builder *b, trace_kind kind);
/* What follows is said while something is so, which it is now or not, until build_always. */
void build_while(builder *b, trace_while holds, bool is_so);
void build_always(builder *b);
/* What follows is of this head, from 0, where the run has heads, until b->head is 0 again. */
void build_begin_head(builder *b, size_t head);
/* A worked line: left = letters = (a op b) = result. */
trace_item *build_line(builder *b, operation op, const char *left, const char *letters);
/* Says that a word of the user's files begins `at` so many bytes of the line's left side or
 * letters. */
void build_word(trace_item *line, const char *in, size_t at, size_t bytes);

/* The stage that the mask changes, and the one that the softmax takes: the last one that had
 * something to do, so that no name comes up that the reader has not met. */
stage_id build_unmasked(const builder *b);
stage_id build_masked(const builder *b);

/* The last form of q, k and v, which scores and weights are taken of: its name is what a line calls
 * it. */
stage_id build_queries(const builder *b);
stage_id build_keys(const builder *b);
stage_id build_values(const builder *b);
/* The weights that values are summed by: rounded where rounding was asked for. */
stage_id build_used_weights(const builder *b);
/* What a score function compares: q_score, or where nothing was multiplied the last form of q; of
 * k_score likewise. */
stage_id build_compared(const builder *b, stage_id id);
/* A score function's parameter as a matrix a head, or one that all heads share: a vector is its
 * only row, a number the only cell. */
void build_heads_of_score(const builder *b, tensor *view);
/* The gradient of a stage; and of each head's result, by the name that it goes on with: without
 * heads, Wo and bo, which is as it was given, it is the output's. */
stage_id build_gradient_of(stage_id id);
const char *build_gradient_name(stage_id of);
stage_id build_result_grad(const builder *b);
/* Whether other layers add to a gradient. */
bool build_is_shared(const builder *b, stage_id id);
/* Whether a gradient without an axis of entries has several that add to it: those of a batch, or
 * layers. Its map then holds what the one in focus adds, and is called "wq_grad_part". */
bool build_is_part(const builder *b, stage_id id);
const char *build_summed_name(builder *b, stage_id id);
/* What the output is called: without Wo and bo the context, without heads what is attended to. */
const char *build_output_name(const builder *b);
/* The last form of the new keys, before a cache's go before them. */
stage_id build_new_keys(const builder *b);

/* A stage of the focus's batch and head as a matrix; no data where the stage was not kept. */
tensor build_stage(const builder *b, stage_id id);
/* The head in focus of a stage; keys and values are in the one that its query head shares. */
size_t build_shown_head(const builder *b, stage_id id);
/* A stage without heads, of the focus's batch. */
tensor build_stage_of_batch(const builder *b, stage_id id);
/* The rows that Wo takes, heads side by side, and what they are called: the context, or of heads
 * that came apart, and stay apart in it, a copy. */
tensor build_joined(builder *b, const char **name);
/* The weighted values of a query in the head in focus, n_k × d_v; of others than that in focus only
 * where all rows are shown. */
tensor build_weighted(const builder *b, size_t row);
/* Element [row, column] as a number (rank 0). */
tensor build_element(const tensor *matrix, size_t row, size_t column);

/* The stage's matrices, one a head (or one where it has none), with a name each. */
void build_matrices(builder *b, stage_id id);
trace_item *build_matrix(builder *b, const char *name, const tensor *matrix, trace_labels rows,
                         trace_labels columns, size_t focus);

/* Of one matrix a head (of keys and values: of theirs) that of head `shown`; with --full all. */
void build_in_heads(builder *b, const char *name, const tensor *heads, size_t shown,
                    trace_labels rows, trace_labels columns, size_t focus);
/* After them: that there are others. */
void build_other_heads(builder *b);

/* A table, filled row after row; the first row is its heading. Its columns hold
 * mathematics or words: "mww". */
trace_item *build_table(builder *b, const char *columns_hold);
void build_cells(builder *b, trace_item *table, const char *const words[]);
/* One more in a list that lasts as long as the trace. */
void build_name(builder *b, text_list *names, const char *name);

/* Numbers that no stage holds, kept with the trace: a view of them; no data after a failure. Two
 * steps may call theirs the same: each has its own. */
tensor build_number(builder *b, const char *name, double value);
/* The same, to be filled. */
tensor build_numbers_new(builder *b, const char *name, dtype type, int rank, const size_t *size);
/* Gives names to appended rows, and to the keys after a cache's that has none: once, before all
 * steps. */
void build_name_keys(builder *b);
trace_labels build_query_labels(const builder *b, const char *letter);
trace_labels build_key_labels(const builder *b, const char *letter);
trace_labels build_value_labels(const builder *b, const char *letter);
/* The keys next to the queries, as columns of scores and weights: k[1], after a cache
 * present_k[1]. */
trace_labels build_column_labels(const builder *b);
/* The same for the keys that are new: those after the cache. */
trace_labels build_new_labels(const builder *b, trace_labels of_all);
static const trace_labels NUMBERED = {0};

/* "Input 1" or "query 1", for sentences. */
const char *build_query_name(builder *b);
/* "key 2 (cat)" */
const char *build_key_name(builder *b, size_t j);
/* " in head 2", of a head from 0, or "" where the run has none; and that of the head in focus. */
const char *build_in_head(builder *b, size_t head);
const char *build_head_name(builder *b);

/* With which heads the focus's head shares its keys and values, where it does. */
void build_sharing(builder *b);

/* "Wq, Wk and Wv" */
const char *build_and(builder *b, const char *const *name, size_t count);

/* "s", or "" for one. */
const char *build_plural(size_t count);

/* How many lines of the same form, one a key, are spelled out, and what follows where that is not
 * all. */
size_t build_lines(const builder *b);
void build_rest(builder *b);
/* The same for each of the other queries, where rows are all shown: with it in focus. */
void build_repeat(builder *b, void show(builder *b));
/* "For every query:", where there is another one; "of sequence 2" of several. */
void build_same_for_all(builder *b);
/* Which of several entries of a batch it is. */
void build_entry(builder *b, size_t batches);
/* Whether one row of bias is added to the scores of each of several queries. */
bool build_has_one_bias(const builder *b);
/* In which bucket of distances query i and key j are, from 0. */
size_t build_bucket(const builder *b, size_t i, size_t j);
/* The row of the new keys that is spelled out next to the focus's query: one of the sequence, since
 * nothing makes those that are appended. */
size_t build_key_row(const builder *b);

/* of_attention.c: the rows of `of` plus `learned` plus sines and cosines of their positions, from
 * `first` on. */
void map_say_waves(builder *b, trace_map *sums, trace_origin of, trace_origin learned,
                   double first);

/* of_attention.c: fills room.map out of the run's stages and inputs. */
void map_make(builder *b);

/* of_gradients.c: the same of what goes back. */
void map_make_back(builder *b);

/* What the way back begins with: of an attention, or of the rows after all layers. */
typedef struct loss_said {
    loss_kind kind;
    bool is_given, is_ones; /* its gradient is given; is 1 everywhere */
    size_t batches;         /* of several, the number is what the one in focus adds to it */
    double count;           /* of all numbers that the output has */
    const char *output, *number;
    step_id step;
} loss_said;
loss_said build_loss(builder *b);
/* steps_back.c: sentences of it, its number and its gradient. */
void loss_show(builder *b, const loss_said *of);
/* Of several entries of a batch what the one in focus adds; after what shows it. */
void build_part_of_all(builder *b, const char *name, size_t batches, const shared_gains *shared);

/* steps_scores.c: the column of the first number of the row, in the head that is shown, that clip
 * cuts; 0 where it cuts none. */
size_t build_first_clipped(const builder *b, stage_id sums, size_t row);

/* steps_inputs.c: the first waves of a row, which are added to make this map. */
void waves_show(builder *b, const char *name, size_t row);

/* ---- trace.c ---- */

/* Fills a room of the house with the steps and maps of an attention, as trace_make does. */
bool room_make(trace *t, trace_room *room, const plan *p, const bundle *result, trace_focus focus,
               bool is_full, const step_wish *wish, err *e);
/* The same of its way back, in a room that knows the one there: what its output gains comes from
 * another room. */
bool room_make_back(trace *t, trace_room *room, const plan *p, const bundle *result,
                    trace_focus focus, bool is_full, const step_wish *wish, const coming *comes,
                    err *e);

/* ---- steps ---- */

/* One function a step, by step_id; each adds items, or none where there is nothing to say. */
typedef void step_maker(builder *b);
step_maker make_inputs, make_parameters, make_dimensions, make_positions, make_projections,
    make_normalize, make_rope, make_cache, make_scores, make_scale, make_cap, make_mask,
    make_softmax, make_statistics, make_round, make_weighted, make_sum, make_concat, make_join,
    make_loss, make_join_back, make_sum_back, make_softmax_back, make_mask_back, make_cap_back,
    make_scale_back, make_scores_back, make_cache_back, make_rope_back, make_normalize_back,
    make_projections_back;

#endif
