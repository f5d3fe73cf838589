/* --bundle: weights, inputs and settings of many documents in one file, read once a run. */
#ifndef SELFATTN_CLI_IN_WEIGHTS_INPUT_H
#define SELFATTN_CLI_IN_WEIGHTS_INPUT_H

#include "cli/line/env.h"
#include "cli/line/options.h"
#include "io/format.h"
#include "io/source.h"
#include "io/stored_matrix.h"
#include "weights/match.h"

/* The documents that it is for: where they may be either, each says which it is. */
typedef enum bundle_for { FOR_ATTENTION, FOR_LAYERS, FOR_EITHER } bundle_for;

/* What documents of one kind use of it, in float32 and in float64, each when first wanted. */
typedef struct bundle_use {
    weight_match match;
    bundle read[2];
    bool is_found, is_read[2], is_said;
} bundle_use;

/* What was read stays until it is closed; documents borrow of it. */
typedef struct weights_input {
    const env *world;
    bundle_options options;
    source source; /* its bytes: formats may use them in place */
    const format *format;
    text_list names;   /* of all that is in it */
    char *type_word;   /* its own dtype, or NULL */
    bundle_for is_for; /* to be set before it is opened */
    bool keeps_narrow; /* likewise: weights that products alone read stay in the file's type */
    unseen unseen;     /* of options' files too: numbers that document_reader_look looks at */
    bundle_use use[2]; /* for attention, and for layers */
    bool is_open;
} weights_input;

/* Refuses options that speak of a bundle's names where there is none: opening it does so too, and
 * who opens it once a file asks before. */
bool weights_input_check(const options *o, err *e);
/* Reads the names in --bundle's file and finds what they are, unless documents decide it; nothing
 * where none was given, or when it is open. */
bool weights_input_open(weights_input *b, const options *o, const env *world, err *e);
/* The type that the bundle asks for, else `type`. */
dtype weights_input_type(const weights_input *b, dtype type);

/* Adds what the bundle holds and `contents` lacks, unless an option removes it. Says the first time
 * what was taken for what. */
bool weights_input_apply(weights_input *b, const options *o, dtype type, bundle *contents, err *e);
/* Whether what is used of it is in memory. Once it was applied, and that is so, applying it again
 * changes nothing but the contents: several threads may. */
bool weights_input_is_read(const weights_input *b, dtype type, const bundle *contents);
void weights_input_close(weights_input *b);

#endif
