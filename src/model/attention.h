/* The attention of a layer: a problem and a plan of its own, made of the layer's keys and of what
 * stands at the top for all layers. */
#ifndef SELFATTN_MODEL_ATTENTION_H
#define SELFATTN_MODEL_ATTENTION_H

#include "attn/engine/run.h"
#include "attn/plan/kv_cache.h"
#include "model/stages.h"

typedef struct stack stack;
typedef struct attention attention;

/* Computes the stages of one otherwise than run_plan_by does, forward or back, and adds them as
 * that does, in the shapes of its plan: with mistakes, to find somebody's. */
typedef bool attention_compute(void *context, const attention *a, const kept_stages *w, crew *by,
                               bundle *made, err *e);

struct attention {
    const stack *in;
    bundle document;
    problem asked;
    plan plan;
    chosen_rows *chosen; /* where the plan is of some rows; owned; NULL: of all */
    bool sees_memory;    /* it is cross-attention */
    /* Where the stack goes on, the keys and values of the rows so far; of cross-attention those of
     * the memory, as products read them, where that is all that is done with them. */
    kv_cache cache;
    tensor memory_k, memory_v;    /* b × n × heads·width; no data: not computed yet; owned */
    attention_compute *otherwise; /* NULL: as ever */
    void *context;                /* of that */
};

/* Whether this key of attention says something at the top, for all layers. */
bool attention_shares(const char *name);

/* Which rows of a memory may be seen goes from "memory_mask", where that is there, into the "mask"
 * of `to`, unless it has one: a list for all entries, or a list for each of a batch. */
bool memory_mask_borrow(bundle *to, const bundle *from, err *e);

/* Plans that of a layer with the keys `around`, or its cross-attention over the stack's memory; its
 * rows will be the stack's input. To be freed in any case, and not to be moved. */
bool attention_read(attention *a, const stack *in, const bundle *around, bool is_cross, err *e);
void attention_free(attention *a);

/* Plans it again, for the stack's next rows. */
bool attention_go_on(attention *a, err *e);

/* Bytes that running it will allocate: those that stay, and those that it works in next to them.
 * `needs_mean`: as attention_run with a `mean` that is not NULL. */
bool attention_memory(const attention *a, const keeper *keep, bool needs_mean, size_t threads,
                      size_t *kept, size_t *working, err *e);

/* Its output as rows, b·n × m, and the mean of its weights over the heads, b·n_q × n_k, where
 * `mean` is not NULL; both owned by the caller. */
bool attention_run(attention *a, const keeper *keep, crew *by, tensor *out, tensor *mean,
                   run_report *report, err *e);

/* As attention_memory, of its way back. */
bool attention_back_memory(const attention *a, const keeper *keep, size_t threads, size_t *kept,
                           size_t *working, err *e);

/* From the gradient of its output, in the stack's part_grad, and the rows that it read, in its
 * input, to that of the rows, and of cross-attention that of its memory; both owned by the
 * caller. */
bool attention_run_back(attention *a, const keeper *keep, crew *by, tensor *rows, tensor *memory,
                        err *e);

#endif
