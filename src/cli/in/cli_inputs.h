/* What the command line gives of a document: matrices, settings and lists by options, and a bundle
 * of weights. */
#ifndef SELFATTN_CLI_IN_CLI_INPUTS_H
#define SELFATTN_CLI_IN_CLI_INPUTS_H

#include "cli/in/matrix_file.h"
#include "io/stored_matrix.h"
#include "weights/weights.h"

/* ---- --bundle: weights, inputs and settings of many documents, a file that is read once ---- */

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
void weights_input_close(weights_input *b);

/* ---- all of it ---- */

/* What the file of one option holds. */
typedef struct cli_input {
    bool is_read;
    matrix_file matrix;
    text_list list;
} cli_input;

/* The options' files are read once for all documents, when the first one asks for them. */
typedef struct cli_inputs {
    const options *options;
    const env *world;
    unseen *later;   /* where matrices are listed that are not looked at yet; NULL: all are */
    cli_input *file; /* of each option for float32, then of each for float64 */
} cli_inputs;

bool cli_inputs_open(cli_inputs *g, const options *o, const env *world, err *e);
void cli_inputs_close(cli_inputs *g);

/* Puts everything that was given over `contents`, and what `weights` holds under it; `contents`
 * borrows the matrices. `type` is what matrices are read in unless --dtype or the document says.
 * *is_all_tables: every matrix that was given came from CSV or TSV. */
bool cli_inputs_apply(cli_inputs *g, weights_input *weights, dtype type, bundle *contents,
                      bool *is_all_tables, err *e);

/* Whether all files of that are read. Once cli_inputs_apply was called, and that is so, it changes
 * nothing but `contents`: several threads may call it. */
bool cli_inputs_is_read(const cli_inputs *g, const weights_input *weights, dtype type,
                        const bundle *contents);

/* The labels of the rows of x or q (xk, k) become tokens (key_tokens) unless there are any. */
bool cli_inputs_add_labels(bundle *contents, const char *of, const text_list *labels, place at,
                           err *e);

#endif
