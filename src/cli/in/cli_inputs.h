/* What the command line gives of a document: matrices, settings and lists by options, and a bundle
 * of weights. */
#ifndef SELFATTN_CLI_IN_CLI_INPUTS_H
#define SELFATTN_CLI_IN_CLI_INPUTS_H

#include "cli/in/matrix_file.h"
#include "cli/in/model_files.h"
#include "io/stored_matrix.h"
#include "weights/weights.h"

/* ---- --bundle: weights, inputs and settings of many documents, a file that is read once ---- */

/* The kind of documents that it is for; FOR_EITHER: each document says its own. */
typedef enum bundle_for { FOR_ATTENTION, FOR_LAYERS, FOR_EITHER } bundle_for;

/* What documents of one kind use of it: read in float32 and in float64, each when first wanted. */
typedef struct bundle_use {
    model_config config; /* where there is one */
    weight_match match;
    bundle read[2];
    bool is_found, is_read[2], is_said;
} bundle_use;

/* Documents borrow what was read, which stays until this is closed. */
typedef struct weights_input {
    const env *world;
    bundle_options options;
    model_files files; /* their bytes, which tensors may use in place */
    text_list names;   /* of all that is in them */
    text_list map;     /* --map, with its patterns written out */
    char *type_word;   /* its own dtype, or NULL */
    bundle_for is_for; /* the caller sets it before opening */
    const char *as;    /* likewise: "encoder" or "decoder"; NULL: documents say it */
    bool keeps_narrow; /* likewise: weights that only products read keep the file's type */
    unseen unseen;     /* matrices, also of options' files, that document_reader_look will check */
    bundle_use use[2]; /* for attention, and for layers */
    bool is_open;
} weights_input;

/* Refuses options about a bundle's names where there is no bundle. Opening does so too; a command
 * that opens it anew for each file calls this before the first. */
bool weights_input_check(const options *o, err *e);
/* Reads the names in --bundle's file and finds what they mean, unless documents decide that. Does
 * nothing without --bundle, or if it is open. */
bool weights_input_open(weights_input *b, const options *o, const env *world, err *e);
void weights_input_close(weights_input *b);

/* ---- all of it ---- */

/* What the file of one option holds. */
typedef struct cli_input {
    bool is_read;
    matrix_file matrix;
    text_list list;
} cli_input;

/* The files of all options. Each is read once, when the first document needs it. */
typedef struct cli_inputs {
    const options *options;
    const env *world;
    unseen *later;         /* gets the matrices that are checked later; NULL: all are checked now */
    cli_input *file;       /* of each option read as float32, then of each read as float64 */
    weights_input encoder; /* whose output memory is; opened once a document has its rows */
} cli_inputs;

bool cli_inputs_open(cli_inputs *g, const options *o, const env *world, err *e);
void cli_inputs_close(cli_inputs *g);

/* Completes a document's `contents`: what options give replaces what it has, and `weights` gives
 * what is missing still. `contents` borrows the matrices. `type` is their type unless --dtype or
 * the document says one. *is_all_tables: all that options gave came from CSV or TSV. */
bool cli_inputs_apply(cli_inputs *g, weights_input *weights, dtype type, bundle *contents,
                      bool *is_all_tables, err *e);

/* What memory is to be made of; NULL: the document has no such rows. cli_inputs_apply makes it, and
 * then several threads may not call it at once. */
const entry *encoder_rows(const bundle *contents);

/* Whether cli_inputs_apply has all its files read by now: then it changes nothing but `contents`,
 * so several threads may call it. */
bool cli_inputs_is_read(const cli_inputs *g, const weights_input *weights, dtype type,
                        const bundle *contents);

/* Makes row labels of x or q the document's tokens, those of xk or k its key_tokens, unless it has
 * some. */
bool cli_inputs_add_labels(bundle *contents, const char *of, const text_list *labels, place at,
                           err *e);

#endif
