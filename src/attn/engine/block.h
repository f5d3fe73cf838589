/* One block of query rows of one head, through all stages in their order. */
#ifndef SELFATTN_ATTN_ENGINE_BLOCK_H
#define SELFATTN_ATTN_ENGINE_BLOCK_H

#include "attn/engine/project.h"
#include "attn/engine/rows.h"

/* Rows `first` to `first + rows` of a head; of their scores `columns` after the first `skipped`, a
 * multiple of PACKED_PART, so that a key keeps its place among a row's partial sums: before and
 * after them, none of these rows sees a key. */
typedef struct block {
    size_t batch, head, first, rows, skipped, columns;
} block;

/* Rows of queries that may attend to nothing: how many there are, and which is the first. Threads
 * meet them in any order, and say the same together. */
typedef struct empty_rows {
    size_t count;
    size_t first; /* a row as plan_row_number counts; nothing where there are none */
} empty_rows;

void empty_rows_join(empty_rows *to, const empty_rows *more);

/* A thread's room in the second loop, next to that in which weights are made again. */
typedef struct scratch_back {
    void *bent;           /* of a query and a key what an additive score sums */
    void *grad;           /* rows × columns, of a gradient as wide as scores */
    void *masked;         /* likewise, where the bias or slopes gather it */
    void *capped;         /* likewise, where there is a cap */
    void *delta;          /* rows */
    void *few;            /* a block's queries, or gradients of what it attended, packed */
    key_range *of_column; /* the rows that see each column */
} scratch_back;

/* What one thread works in: one block of one stage, which the stages that nobody wants share. */
typedef struct scratch {
    void *block;          /* rows × columns */
    key_range *seen;      /* each row's own columns of the block */
    key_range *of_part;   /* and of a part of it; after them */
    void *packed;         /* room for keys or values of a part */
    void *maximum;        /* rows */
    void *sum;            /* rows; after them */
    share *shares;        /* columns, where weights are rounded by largest remainders */
    size_t rows;          /* of a block at most */
    scratch_back back;    /* where gradients are asked for */
    row_shares undivided; /* the row whose exponentials and sum were computed last */
    empty_rows empty;
    bool is_past_range; /* something in the context is not finite */
    size_t failed_at;   /* the block's number in the schedule, where `failure` is set */
    err failure;
} scratch;

bool scratch_new(scratch *s, const plan *p, size_t rows, size_t columns, err *e);
void scratch_free(scratch *s);
size_t scratch_memory(const plan *p, size_t rows, size_t columns);

/* What the second loop gathers, block after block: gradients of queries, keys and values in their
 * last form, a query head each, b × h × n × width; no data: not needed. That of the bias is spread
 * over b × h × n_q × n_k as the bias is. */
typedef struct gathered {
    tensor q, k, v;
    tensor own_k, own_v; /* where heads share keys and values, before they are summed; owned */
    /* Of the score's vector and its shift, b × h × 1 × as many numbers as a head has; owned. */
    tensor vector, shift;
    tensor bias, buckets; /* one of them: of a table of buckets, as it lies, or of the rest */
    tensor slopes;        /* float64, before they are rounded, a head each; owned */
} gathered;

static inline void *block_row_at(const tensor *t, size_t row)
{
    return (char *)t->data + t->stride[0] * (ptrdiff_t)row * (ptrdiff_t)dtype_size(t->type);
}

/* What all blocks share. */
typedef struct block_context {
    const plan *plan;
    const kept_stages *wanted;
    placed at;
    projected made;
    panels panels;
    gathered back;
} block_context;

/* A block's columns one part after another: `first` counts from the block's own. */
typedef struct key_part {
    size_t first, count;
    const key_range *seen; /* each row's own columns of the part */
} key_part;

/* The next part; false after the last. A block without columns has one, which is empty. */
bool block_next_part(const block_context *of, const block *at, const scratch *in, key_part *part);

/* The block's columns that are keys of the sequence. */
size_t block_keys(const plan *p, const block *at);

/* The block's rows of a stage: in its place where it lies whole, else `else_at`; and of a stage as
 * wide as scores those columns that are computed. */
tensor block_rows_of(const block_context *of, const block *at, stage_id id, void *else_at,
                     size_t columns);
tensor block_scores_of(const block_context *of, const block *at, stage_id id, void *else_at);
/* Around the columns that are computed, a stage that lies whole is `value`. */
void block_fill_rest(const block_context *of, const block *at, stage_id id, double value);

/* The first part of block_compute: to the weights, rows × columns, with +0 where a row does not see
 * a key. Also fails as that does. */
bool block_weights(const block_context *of, block *at, scratch *in, tensor *weights);

/* Sets the block's columns: those that its rows see, or all if scores from before masking are
 * wanted. False with in->failure set where a row leaves the type's range. */
bool block_compute(const block_context *of, block *at, scratch *in);

#endif
