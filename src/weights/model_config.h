/* A model's config.json, read as what a document would say: its settings, of all layers and of
 * each, and the sizes that its weights must have. */
#ifndef SELFATTN_WEIGHTS_MODEL_CONFIG_H
#define SELFATTN_WEIGHTS_MODEL_CONFIG_H

#include "tensor/bundle.h"
#include "weights/config_keys.h"

typedef struct model_config {
    const char *file; /* as messages name it; borrowed */
    const model_family *of;
    bundle given;    /* what it says, and what its class says where it lacks; owned */
    bundle settings; /* of a document; owned */
    bundle *layer;   /* what layers have of their own, `layers` of them; NULL: nothing; owned */
    size_t layers;
    size_t plain;     /* of layers, the first that have no experts, where others have */
    const char *rope; /* how its angles are made: "default", "llama3", …; NULL: there are none */
    size_t rope_width, head_width; /* numbers of a head that are turned; 0: not known */
    int alibi_times;               /* slopes are added so often; 0: not by this */
    bool is_tied;                  /* the unembedding is the embedding, whatever else there is */
    struct {
        size_t is;       /* 0: not said */
        const entry *by; /* the key that says it; borrowed */
    } size[SIZE_COUNT];
} model_config;

/* Whether config.json says whose it is, which one of another program does not. */
bool model_config_is(const bundle *read);
/* Takes what was read. False with the error at the key that is not known, or not computed; with
 * `is_alone` what only layers have may be so. To be freed in any case. */
bool model_config_read(model_config *c, bundle *read, const char *file, bool is_alone, err *e);
void model_config_free(model_config *c);

/* A size that it says, also where the rest of it is refused; 0: it says none. */
size_t model_config_size(const model_config *c, config_size which);

/* "phi: parallel, heads 4, partial rotary 4 of 8, rope 10000, …": what a document has of it, with
 * `of_order` also where its norms stand, which names may have said. */
void model_config_describe(text *out, const model_config *c, const bundle *document, bool of_order);

#endif
