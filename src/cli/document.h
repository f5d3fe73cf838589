/* Documents as a command line gives them: files and standard input, one problem or many, each with
 * the options' matrices and settings put over its own. */
#ifndef SELFATTN_CLI_DOCUMENT_H
#define SELFATTN_CLI_DOCUMENT_H

#include "cli/env.h"
#include "cli/given.h"
#include "io/lines.h"

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
    given_files from_options;
    dtype type; /* what is computed in where neither option nor document says */
    const char *const *file;
    size_t files, next;
    line_source lines; /* the input being read */
    bool is_stream;    /* of documents, one a line: JSON Lines */
    size_t line_most;  /* bytes that a line may have */
    bool has_options_only;
    bool is_many; /* more than one document may come: results are written one a line */
    bool is_over; /* after a failure: no document behind it could be read */
} documents;

/* Standard input is read where "-" is named, or where nothing else is and it is no terminal.
 * `weights` is opened where it is not yet; whoever has it closes it, after the last document. */
bool documents_open(documents *all, const options *given, given_bundle *weights, const env *world,
                    dtype type, err *e);
/* The next document, to be freed by document_free; *is_there false after the last. Fails for a
 * document that can't be read; then the next call goes on behind it, unless all of them is over. */
bool documents_next(documents *all, document *one, bool *is_there, err *e);
/* Whether the next document of a stream is in memory already, so that nobody waits for it. */
bool documents_has_next(const documents *all);
void documents_close(documents *all);
void document_free(document *one);

/* For an error about the document as a whole. */
place document_place(const document *one);

#endif
