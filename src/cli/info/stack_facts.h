/* What layers a document has, once their defaults are filled in: found by planning them, computing
 * nothing. */
#ifndef SELFATTN_CLI_INFO_STACK_FACTS_H
#define SELFATTN_CLI_INFO_STACK_FACTS_H

#include "cli/info/attention_facts.h"
#include "model/parts.h"

typedef struct part_facts {
    part_kind kind;
    attention_facts attention; /* of the kinds that attend */
    size_t hidden;             /* of a feed-forward part, */
    const char *activation;    /* and what it does with them */
} part_facts;

typedef struct layer_facts {
    const char *norm; /* where norms stand */
    part_facts part[PARTS_MOST];
    size_t parts;
} layer_facts;

typedef struct stack_facts {
    err trouble; /* set: they can't be computed, and this is why; the rest is then unknown */
    bool is_said, is_decoder; /* the document says its kind, and which it is */
    dtype type;
    size_t batches, rows, width; /* batches 0: no batch */
    size_t cache_bytes;          /* that the keys and values of all self-attentions need a token */
    layer_facts *layer;          /* owned */
    size_t layers;
    part_facts end; /* behind the last layer */
    bool has_end;
} stack_facts;

void stack_facts_of(stack_facts *out, const bundle *document);
void stack_facts_free(stack_facts *facts);

#endif
