/* The attention of a layer: a problem and a plan of its own, made of the layer's keys and of what
 * stands at the top for all layers. */
#ifndef SELFATTN_MODEL_ATTENTION_H
#define SELFATTN_MODEL_ATTENTION_H

#include "attn/plan/kv_cache.h"
#include "attn/engine/multiply.h"
#include "attn/engine/run.h"
#include "model/keep.h"

/* Keys and values of a memory, that rows which come later look at too: b × n × heads·width. */
typedef struct memory_rows {
    tensor k, v;     /* owned; no data: not computed yet */
    kv_cache packed; /* the same as products read them, where that is all that is done with them */
} memory_rows;

void memory_rows_free(memory_rows *m);

/* What an attention is made of; all borrowed. */
typedef struct attention_source {
    const bundle *own, *top;
    const bundle *layer; /* of cross-attention: what it is in, whose settings go before top's */
    const tensor *x;     /* where its input rows will be */
    const entry *memory; /* of cross-attention: what its keys and values come from; else NULL */
    bool sees_no_later;  /* causal, unless something is said */
    kv_cache *cache;     /* keys and values of the rows so far, kept; or NULL */
    memory_rows *seen;   /* of cross-attention: those of the memory, kept; or NULL */
    packed_weights *packed_weights; /* for stacks to come; or NULL */
    bool allow_nonfinite;
} attention_source;

typedef struct attention attention;

/* Computes the stages of one otherwise than run_plan_by does, and adds them as that does, in the
 * shapes of its plan: with mistakes, to find somebody's. */
typedef bool attention_compute(void *context, const attention *a, const kept_stages *w, crew *by,
                               bundle *made, err *e);

struct attention {
    const isa *isa;
    bundle document;
    problem asked;
    plan plan;
    memory_rows *seen;            /* or NULL */
    attention_compute *otherwise; /* NULL: as ever */
    void *context;                /* of that */
};

/* Whether this key of attention says something at the top, for all layers. */
bool attention_shares(const char *name);

/* Plans it. To be freed in any case, and not to be moved. */
bool attention_read(attention *a, const attention_source *from, const isa *by, err *e);
void attention_free(attention *a);

/* Plans it again, for other input rows of the same width, after so many. */
bool attention_go_on(attention *a, const tensor *x, size_t before, err *e);

/* Bytes that running it will allocate: those that stay, and those that it works in next to them. */
typedef struct attention_bytes {
    size_t kept, working;
} attention_bytes;

/* `needs_mean`: as attention_run with a `mean` that is not NULL. */
bool attention_memory(const attention *a, const keeper *keep, bool needs_mean, size_t threads,
                      attention_bytes *bytes, err *e);

/* Bytes that its cache takes, when it has so many rows; none where it has no cache. */
bool attention_cache_memory(const attention *a, size_t rows, size_t *bytes, err *e);

/* Its output as rows, b·n × m, and the mean of its weights over the heads, b·n_q × n_k, where
 * `mean` is not NULL; both owned by the caller. */
bool attention_run(const attention *a, const keeper *keep, crew *by, tensor *out, tensor *mean,
                   run_report *report, err *e);

#endif
