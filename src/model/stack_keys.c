#include "model/stack_keys.h"

#include "attn/spec/keys.h"

static const key NORM_ROWS[] = {
    {{"gain", "factor of each column (default: 1)"}, KEY_MATRIX},
    {{"bias", "added to each column (default: 0)"}, KEY_MATRIX},
    {{"eps", "added to the variance (default: 1e-5)"}, KEY_SETTING},
};

/* As PyTorch and Keras call them. */
static const synonym NORM_SYNONYMS[] = {
    {"weight", "gain"}, {"gamma", "gain"}, {"beta", "bias"}, {"epsilon", "eps"}, {NULL, NULL},
};

const named_table NORM_KEYS = NAMED_TABLE_ALSO("key", NORM_ROWS, NORM_SYNONYMS);

static const key_tables NORM = {{&NORM_KEYS}}, CROSS = {{&KEYS}};

static const key FEED_FORWARD_ROWS[] = {
    {{"w1", "weights into the hidden numbers"}, KEY_MATRIX},
    {{"b1", "their bias"}, KEY_MATRIX},
    {{"w2", "weights out of the hidden numbers"}, KEY_MATRIX},
    {{"b2", "their bias"}, KEY_MATRIX},
    {{"w3", "weights of a gate next to w1"}, KEY_MATRIX},
    {{"b3", "the gate's bias"}, KEY_MATRIX},
};

const named_table FEED_FORWARD_KEYS = NAMED_TABLE("key", FEED_FORWARD_ROWS);

static const key_tables FEED_FORWARD = {{&FEED_FORWARD_KEYS}};

static const object_key LAYER_ROWS[] = {
    {{{"ln1", "the layer's first norm: gain, bias, eps"}, KEY_OBJECT}, &NORM},
    {{{"ln2", "its second norm"}, KEY_OBJECT}, &NORM},
    {{{"ln3", "its third norm, where it has cross-attention"}, KEY_OBJECT}, &NORM},
    {{{"ln4", "its fourth norm, where the order has so many"}, KEY_OBJECT}, &NORM},
    {{{"w1", "feed-forward: weights into the hidden numbers"}, KEY_MATRIX}, NULL},
    {{{"b1", "their bias"}, KEY_MATRIX}, NULL},
    {{{"w2", "feed-forward: weights out of the hidden numbers"}, KEY_MATRIX}, NULL},
    {{{"b2", "their bias"}, KEY_MATRIX}, NULL},
    {{{"w3", "feed-forward: weights of a gate next to w1"}, KEY_MATRIX}, NULL},
    {{{"b3", "the gate's bias"}, KEY_MATRIX}, NULL},
    {{{"router", "experts: weights of a logit for each expert"}, KEY_MATRIX}, NULL},
    {{{"router_bias", "their bias"}, KEY_MATRIX}, NULL},
    {{{"choice_bias", "added to scores where experts are chosen, not to weights"}, KEY_MATRIX},
     NULL},
    {{{"experts", "a list of objects of w1, b1, w2, b2, w3, b3"}, KEY_OBJECTS}, &FEED_FORWARD},
    {{{"shared", "an expert that each row goes through: w1, w2, …"}, KEY_OBJECT}, &FEED_FORWARD},
    {{{"shared_gate", "weights of a logit whose sigmoid is its factor"}, KEY_MATRIX}, NULL},
    {{{"cross", "cross-attention over memory: attention's keys"}, KEY_OBJECT}, &CROSS},
    {{{"norm", "where norms stand: post, pre, seed, parallel, …"}, KEY_SETTING}, NULL},
    {{{"norm_kind", "layer or rms"}, KEY_SETTING}, NULL},
    {{{"norm_eps", "eps of norms that don't say their own (default: 1e-5)"}, KEY_SETTING}, NULL},
    {{{"activation", "of the hidden numbers: relu, gelu, gelu_tanh, silu, …"}, KEY_SETTING}, NULL},
    {{{"top_experts", "how many experts a row goes through"}, KEY_SETTING}, NULL},
    {{{"routing", "of logits weights: softmax, top-softmax, sigmoid"}, KEY_SETTING}, NULL},
    {{{"renormalize", "whether weights are divided by their sum (default: true)"}, KEY_SETTING},
     NULL},
    {{{"routing_scale", "factor of the weights (default: 1)"}, KEY_SETTING}, NULL},
    {{{"groups", "of experts, as many as one after the other"}, KEY_SETTING}, NULL},
    {{{"top_groups", "how many of them experts are chosen from"}, KEY_SETTING}, NULL},
    {{{"top_of_group", "how many of a group's scores add up to its own (default: 2)"}, KEY_SETTING},
     NULL},
    {{{"residual_scale", "factor of what a part adds to its rows (default: 1)"}, KEY_SETTING},
     NULL},
};

const named_table LAYER_KEYS = NAMED_TABLE("key", LAYER_ROWS);

static const key_tables LAYER = {{&KEYS, &LAYER_KEYS}};

static const object_key HEAD_ROWS[] = {
    {{{"w", "weights of the head's product"}, KEY_MATRIX}, NULL},
    {{{"b", "their bias"}, KEY_MATRIX}, NULL},
    {{{"activation", "of what they give, or none (default: that of the layers)"}, KEY_SETTING},
     NULL},
    {{{"norm", "a norm of that: gain, bias, eps"}, KEY_OBJECT}, &NORM},
};

const named_table HEAD_KEYS = NAMED_TABLE("key", HEAD_ROWS);

static const key_tables HEAD_MEMBERS = {{&HEAD_KEYS}};

static const object_key EMBED_ROWS[] = {
    {{{"w", "weights of the product"}, KEY_MATRIX}, NULL},
    {{{"b", "their bias"}, KEY_MATRIX}, NULL},
    {{{"before", "layers, or positions: of what is looked up alone"}, KEY_SETTING}, NULL},
};

const named_table EMBED_KEYS = NAMED_TABLE("key", EMBED_ROWS);

static const key_tables EMBED_MEMBERS = {{&EMBED_KEYS}};

static const object_key STACK_ROWS[] = {
    {{{"kind", "encoder or decoder (default: decoder if it has memory)"}, KEY_SETTING}, NULL},
    {{{"layers", "the layers, an object each, the first one first"}, KEY_OBJECTS}, &LAYER},
    {{{"repeat", "how often the layers come, weights shared (default: 1)"}, KEY_SETTING}, NULL},
    {{{"memory", "what cross-attention looks at: an encoder's output"}, KEY_MATRIX}, NULL},
    {{{"memory_mask", "which of its rows may be seen; or a batch"}, KEY_MASK}, NULL},
    {{{"memory_ids", "ids for a bundle's encoder, which makes memory"}, KEY_NUMBERS}, NULL},
    {{{"memory_x", "rows for it, in place of ids"}, KEY_MATRIX}, NULL},
    {{{"ln_e", "a norm of the embedded rows, before the first layer"}, KEY_OBJECT}, &NORM},
    {{{"ln_f", "a norm after the last layer"}, KEY_OBJECT}, &NORM},
    {{{"ids", "rows of the embedding, from 0, in place of x; or a batch"}, KEY_NUMBERS}, NULL},
    {{{"embedding", "a row for each id, where there is no vocab"}, KEY_MATRIX}, NULL},
    {{{"segment_embedding", "a row for each segment (token type), added to x"}, KEY_MATRIX}, NULL},
    {{{"segments", "the segment of each row, from 0 (default: 0); or a batch"}, KEY_NUMBERS}, NULL},
    {{{"position_embedding", "a row for each position, added to x"}, KEY_MATRIX}, NULL},
    {{{"embed", "a product between these and the layers: w, b, before"}, KEY_OBJECT},
     &EMBED_MEMBERS},
    {{{"head", "before the unembedding: w, b, activation, norm"}, KEY_OBJECT}, &HEAD_MEMBERS},
    {{{"unembedding", "weights of the logits (default: what ids or words look up)"}, KEY_MATRIX},
     NULL},
    {{{"unembedding_bias", "their bias"}, KEY_MATRIX}, NULL},
    {{{"embedding_scale", "factor of the rows that are looked up (default: 1)"}, KEY_SETTING},
     NULL},
    {{{"logits", "whether there are logits, as a stage of all rows"}, KEY_SETTING}, NULL},
    {{{"logits_scale", "factor of the logits (default: 1)"}, KEY_SETTING}, NULL},
    {{{"logits_softcap", "C: logits become C·tanh(logits / C)"}, KEY_SETTING}, NULL},
    {{{"labels", "the id that each row should lead to; -100: it doesn't count"}, KEY_NUMBERS},
     NULL},
};

const named_table STACK_KEYS = NAMED_TABLE("key", STACK_ROWS);

const key_tables STACK_DOCUMENT = {{&KEYS, &LAYER_KEYS, &STACK_KEYS}};

bool attention_keys_check(const bundle *contents, err *e)
{
    static const named_table *const OF_LAYERS[] = {&LAYER_KEYS, &STACK_KEYS};
    const entry *first = NULL;
    for (size_t i = 0; i < sizeof OF_LAYERS / sizeof OF_LAYERS[0]; i++) {
        for (size_t j = 0; j < OF_LAYERS[i]->count; j++) {
            const entry *given = bundle_find(contents, named_row(OF_LAYERS[i], j)->name);
            first = given != NULL && (first == NULL || given < first) ? given : first;
        }
    }
    return first == NULL ||
           err_at(e, &first->at, "%s is for a document of layers, and there are none", first->name);
}
