/* --bundle: weights, inputs and settings of many documents in one file, read once a run. */
#ifndef SELFATTN_CLI_GIVEN_BUNDLE_H
#define SELFATTN_CLI_GIVEN_BUNDLE_H

#include "cli/bundle_names.h"
#include "cli/env.h"
#include "cli/given_layers.h"
#include "io/format.h"
#include "io/source.h"

/* What was read stays until it is closed; documents borrow of it. */
typedef struct given_bundle {
    const env *world;
    source source; /* its bytes: formats may use them in place */
    const format *format;
    text_list names;   /* of all that is in it */
    char *type_word;   /* its own dtype, or NULL */
    bool is_of_layers; /* to be set before it is opened: for documents of layers */
    bool keeps_narrow; /* likewise: weights that products alone read stay in the file's type */
    bundle_names found;
    given_layers layers; /* in place of `found` */
    bundle read[2];      /* what is used of it, in float32 and in float64, each when first wanted */
    bool is_open, is_read[2], is_said;
} given_bundle;

/* Reads the names in --bundle's file and finds what they are; nothing where none was given, or when
 * it is open. */
bool given_bundle_open(given_bundle *b, const options *o, const env *world, err *e);
/* The type that the bundle asks for, else `type`. */
dtype given_bundle_type(const given_bundle *b, dtype type);

/* Adds what the bundle holds and `contents` lacks, unless an option removes it. Says the first time
 * what was taken for what. */
bool given_bundle_apply(given_bundle *b, const options *o, dtype type, bundle *contents, err *e);
/* Whether what is used of it is in memory. Once it was applied, and that is so, applying it again
 * changes nothing but the contents: several threads may. */
bool given_bundle_is_read(const given_bundle *b, dtype type);
void given_bundle_close(given_bundle *b);

#endif
