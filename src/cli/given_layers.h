/* The layers of --bundle: what encode and decode find in it, and how it comes under a document. */
#ifndef SELFATTN_CLI_GIVEN_LAYERS_H
#define SELFATTN_CLI_GIVEN_LAYERS_H

#include "cli/layer_sources.h"
#include "cli/options.h"

typedef struct given_layers {
    bool is_document; /* it has "layers", and is read as one; there are no sources then */
    layer_search search;
    layer_sources sources;
} given_layers;

/* To be freed in any case. `names` and `file` must outlive it. */
bool given_layers_find(given_layers *g, const text_list *names, const char *file, const options *o,
                       err *e);
void given_layers_free(given_layers *g);

/* The names that are used, as the keys of a reader: memory for as many as there are sources;
 * returns how many. */
size_t given_layers_rows(const given_layers *g, key *rows);

/* Adds what was read and `contents` lacks, as if a document had it; and, to `note`, what was taken
 * for what, unless the names are the document's own. */
bool given_layers_apply(given_layers *g, const options *o, const bundle *read, dtype type,
                        bundle *contents, text *note, err *e);

#endif
