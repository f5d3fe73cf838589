/* What the command line gives of a document: matrices, settings and lists by options, and a bundle
 * of weights. */
#ifndef SELFATTN_CLI_IN_GIVEN_H
#define SELFATTN_CLI_IN_GIVEN_H

#include "cli/in/given_bundle.h"
#include "cli/in/matrix_file.h"

/* What the file of one option holds. */
typedef struct given_file {
    bool is_read;
    matrix_file matrix;
    text_list list;
} given_file;

/* The options' files are read once for all documents, when the first one asks for them. */
typedef struct given_files {
    const options *options;
    const env *world;
    unseen *later;    /* where matrices are listed that are not looked at yet; NULL: all are */
    given_file *file; /* of each option for float32, then of each for float64 */
} given_files;

bool given_open(given_files *g, const options *o, const env *world, err *e);
void given_close(given_files *g);

/* Puts everything that was given over `contents`, and what `weights` holds under it; `contents`
 * borrows the matrices. `type` is what matrices are read in unless --dtype or the document says.
 * *is_all_tables: every matrix that was given came from CSV or TSV. */
bool given_apply(given_files *g, given_bundle *weights, dtype type, bundle *contents,
                 bool *is_all_tables, err *e);

/* Whether all files of that are read. Once given_apply was called, and that is so, it changes
 * nothing but `contents`: several threads may call it. */
bool given_is_read(const given_files *g, const given_bundle *weights, dtype type,
                   const bundle *contents);

/* The labels of the rows of x or q (xk, k) become tokens (key_tokens) unless there are any;
 * `labels` is taken. */
bool given_add_labels(bundle *contents, const char *of, text_list *labels, place at, err *e);

#endif
