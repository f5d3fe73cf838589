/* What the command line gives of a document: matrices, settings and lists by options, and a bundle
 * of weights. */
#ifndef SELFATTN_CLI_IN_CLI_INPUTS_H
#define SELFATTN_CLI_IN_CLI_INPUTS_H

#include "cli/in/weights_input.h"
#include "cli/in/matrix_file.h"

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

/* The labels of the rows of x or q (xk, k) become tokens (key_tokens) unless there are any;
 * `labels` is taken. */
bool cli_inputs_add_labels(bundle *contents, const char *of, text_list *labels, place at, err *e);

#endif
