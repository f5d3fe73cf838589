/* Documents as a command line gives them: files and standard input, one problem or many, each with
 * the options' matrices and settings put over its own. */
#ifndef SELFATTN_CLI_DOCUMENT_H
#define SELFATTN_CLI_DOCUMENT_H

#include "cli/env.h"
#include "cli/given_bundle.h"
#include "cli/options.h"
#include "io/source.h"

typedef struct document {
    bundle contents;
    const char *file;   /* "-" for standard input, NULL where all came from options */
    size_t line;        /* of a stream, from 1; 0 where it is a whole file */
    bool is_all_tables; /* every matrix came from CSV or TSV, and no document was given */
} document;

/* The documents of a command line, one after the other. */
typedef struct documents {
    const options *given;
    given_bundle *weights;
    dtype type; /* what is computed in where neither option nor document says */
    const char *const *file;
    size_t files, next;
    source open; /* the file being read, line by line when it is JSON Lines */
    size_t offset, line;
    bool has_options_only;
    bool is_many; /* more than one document may come: results are written one a line */
} documents;

/* Standard input is read where "-" is named, or where nothing else is and it is no terminal.
 * `weights` is opened where it is not yet; whoever has it closes it, after the last document. */
bool documents_open(documents *all, const options *given, given_bundle *weights, const env *world,
                    dtype type, err *e);
/* The next document, to be freed by document_free; *is_there false after the last. */
bool documents_next(documents *all, document *one, bool *is_there, err *e);
void documents_close(documents *all);
void document_free(document *one);

/* For an error about the document as a whole. */
place document_place(const document *one);

#endif
