/* Documents as a command line gives them: files and standard input, one problem or many, each with
 * the options' matrices and settings put over its own. */
#ifndef SELFATTN_CLI_IN_DOCUMENT_H
#define SELFATTN_CLI_IN_DOCUMENT_H

#include "attn/engine/multiply.h"
#include "attn/plan/kv_cache.h"
#include "cli/in/cli_inputs.h"
#include "cli/line/env.h"
#include "cli/line/options.h"
#include "io/json_scan.h"
#include "io/json_read.h"
#include "io/source.h"

/* --stream: documents that are the rows of one sequence, a token or a block of them a line.
 *
 * What all rows share (weights, settings, a vocab) comes from options or from the first line that
 * was computed, and stays. Keys and values of the lines so far are kept, so that a row costs what
 * its attention costs, and gets the bytes that it would have in the whole sequence. */

typedef struct kv_session {
    bundle shared; /* what the first line said, and options besides it */
    bool has_shared;
    kv_cache cache;
} kv_session;

typedef struct document {
    bundle contents;
    unseen unseen;      /* of them */
    const char *file;   /* "-" for standard input, NULL where all came from options */
    size_t line;        /* of a stream, from 1; 0 where it is a whole file */
    bool is_of_many;    /* others come before or after it */
    bool is_all_tables; /* every matrix came from CSV or TSV, and no document was given */
    kv_cache *cache;    /* of its --stream; NULL: it is a document by itself */
    packed_weights *packed_weights; /* kept for documents to come; NULL: none will */
} document;

/* The documents of a command line, one after the other. */
typedef struct document_reader {
    const options *given;
    weights_input *weights;
    cli_inputs from_options;
    dtype type; /* what is computed in where neither option nor document says */
    /* To be set once opened: the one file's bytes, where it was read already, or NULL; what is
     * expected is read in the type that is computed in. */
    const source *read;
    bool types_expected;
    const char *const *file;
    size_t files, next;
    line_source lines; /* the input being read */
    bool is_stream;    /* of documents, one a line: JSON Lines */
    bool has_options_only;
    bool is_many;     /* more than one document may come: results are written one a line */
    bool was_applied; /* what options give, to a document */
    kv_session rows;  /* of --stream */
    packed_weights packed_weights;
    bool is_over; /* after a failure: no document after it could be read */
} document_reader;

/* Standard input is read where "-" is named, or where nothing else is and it is not a terminal.
 * `weights` is opened where it is not yet; whoever has it closes it, after the last document. */
bool document_reader_open(document_reader *all, const options *given, weights_input *weights,
                          const env *world, dtype type, err *e);
/* The next document, to be freed by document_free; *is_there false after the last. Fails for a
 * document that can't be read; then the next call goes on after it, unless all of them is over. */
bool document_reader_next(document_reader *all, document *one, bool *is_there, err *e);
/* A line of a stream that holds a document; its bytes are borrowed until document_reader_next is
 * called. */
typedef struct document_line {
    const char *bytes;
    size_t length, number;
} document_line;

/* The next lines of a stream that are in memory already, `most` of them or fewer; 0 also where
 * options' files are still to be read. */
size_t document_reader_take(document_reader *all, document_line *to, size_t most);
/* The document of a line that was taken, to be freed by document_free also where that fails. */
bool document_reader_read_line(document_reader *all, const document_line *from, document *one,
                               err *e);
/* The same by one of several threads: false, without an error, where a file is to be read first.
 * Remembers it where its plan holds for other numbers in its matrices. */
bool document_reader_try_line(document_reader *all, const document_line *from, document *one,
                              json_again *again, err *e);
/* The document that was remembered gets another line's numbers, if nothing else differs; else it
 * is to be freed. */
bool document_reader_try_again(const document_reader *all, const document_line *from, document *one,
                               json_again *again);

/* Looks at the numbers that nobody has looked at. */
bool document_reader_look(document_reader *all, document *one, err *e);
/* A document was computed: --stream takes from the first what it says for all. */
void document_reader_keep(document_reader *all, document *one);

/* Whether the next document of a stream is in memory already, so that nobody waits for it. */
bool document_reader_has_next(const document_reader *all);
void document_reader_close(document_reader *all);
/* How many bytes each of so many may take for weights that stay packed. */
size_t document_reader_packed_most(const document_reader *all, size_t sharers);
void document_free(document *one);

/* What it is computed in. */
dtype document_type(const document *one);

/* For an error about the document as a whole. */
place document_place(const document *one);
/* What is wrong with the document is at it, unless it says itself where it is; then which of many
 * documents it is about is said after it. Returns false. */
bool document_blame(const document *one, err *e);

#endif
