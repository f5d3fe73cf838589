/* What attention a problem document asks for, once its defaults are filled in: found by planning
 * it, computing nothing. */
#ifndef SELFATTN_CLI_INFO_ATTENTION_FACTS_H
#define SELFATTN_CLI_INFO_ATTENTION_FACTS_H

#include "attn/plan.h"

typedef struct attention_facts {
    err trouble; /* set: it can't be computed, and this is why; the rest is then unknown */
    dtype type;
    bool has_inputs; /* else there are weights only, and sizes are told for any number of tokens */
    size_t batches, heads, kv_heads, queries, keys, key_width, value_width;
    size_t cache_bytes;  /* that a key/value cache needs a token */
    const char *sharing; /* "MHA", "GQA", "MQA", or "one head" */
    const char *causal;  /* the word of the setting */
    const char *score;
    double scale;
    text_list notes; /* owned */
} attention_facts;

/* Of a plan that was made, all but its notes. */
void attention_facts_of_plan(attention_facts *out, const plan *p);

/* False where the document asks for no attention: there are neither inputs nor the weights of keys
 * and values. */
bool attention_facts_of(attention_facts *out, const bundle *document);
void attention_facts_free(attention_facts *facts);

#endif
