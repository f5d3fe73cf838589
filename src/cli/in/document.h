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

/* For --stream: documents that are rows of one sequence, a token or a block of tokens a line.
 *
 * What all rows share (weights, settings, a vocab) comes from options or from the first line that
 * was computed. Keys and values of earlier lines are kept, so that a row costs only its own
 * attention, and has the bytes that it would have in the whole sequence. */

typedef struct kv_session {
    bundle shared; /* what options and the first line said */
    bool has_shared;
    kv_cache cache;
} kv_session;

typedef struct document {
    bundle contents;
    unseen unseen;      /* matrices of them that document_reader_look will check */
    const char *file;   /* "-" for standard input, NULL where all came from options */
    size_t line;        /* of a stream, from 1; 0 where it is a whole file */
    bool is_of_many;    /* others come before or after it */
    bool is_all_tables; /* every matrix came from CSV or TSV, and no document was given */
    kv_cache *cache;    /* earlier rows of its --stream; NULL: it is a document by itself */
    packed_weights *packed_weights; /* kept for the documents after it; NULL: there are none */
} document;

/* The documents of a command line, one after the other. */
typedef struct document_reader {
    const options *given;
    weights_input *weights;
    cli_inputs from_options;
    dtype type; /* the type of computing where neither option nor document says one */
    /* The caller may set these two after opening: the bytes of the only file, if it was read
     * already; and that expected numbers are read in the type of computing. */
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
    bool is_over; /* a failure ended the input: no document after it can be read */
} document_reader;

/* Reads standard input where "-" is named, or where no file is named and it is not a terminal.
 * Opens `weights` if need be; its owner closes it, after the last document. */
bool document_reader_open(document_reader *all, const options *given, weights_input *weights,
                          const env *world, dtype type, err *e);
/* Reads the next document, which the caller frees with document_free; *is_there is false after the
 * last one. Fails for a document that can't be read; the next call goes on after it, unless
 * all->is_over. */
bool document_reader_next(document_reader *all, document *one, bool *is_there, err *e);
/* A line of a stream that holds a document; its bytes are borrowed until document_reader_next is
 * called. */
typedef struct document_line {
    const char *bytes;
    size_t length, number;
} document_line;

/* Takes up to `most` lines of a stream that are in memory already, and returns how many; 0 also as
 * long as files of options are not read yet. */
size_t document_reader_take(document_reader *all, document_line *to, size_t most);
/* Reads the document of a line that was taken. To be freed by document_free also where this
 * fails. */
bool document_reader_read_line(document_reader *all, const document_line *from, document *one,
                               err *e);
/* The same for one of several threads: false, without an error, where a file must be read first. A
 * document whose plan holds for other numbers too is remembered in `again`. */
bool document_reader_try_line(document_reader *all, const document_line *from, document *one,
                              json_again *again, err *e);
/* Gives a remembered document the numbers of another line, if nothing else in that differs. False
 * where something does: then the document must be freed. */
bool document_reader_try_again(const document_reader *all, const document_line *from, document *one,
                               json_again *again);

/* Checks the matrices that were used in place without a look. */
bool document_reader_look(document_reader *all, document *one, err *e);
/* To be called for each document that was computed: --stream keeps what the first one says for all
 * rows. */
void document_reader_keep(document_reader *all, document *one);

/* Whether the next document of a stream is in memory already: then reading it does not wait. */
bool document_reader_has_next(const document_reader *all);
void document_reader_close(document_reader *all);
/* How many bytes of packed weights each of so many threads may keep. */
size_t document_reader_packed_most(const document_reader *all, size_t sharers);
void document_free(document *one);

/* The type that it is computed in. */
dtype document_type(const document *one);

/* For an error about the document as a whole. */
place document_place(const document *one);
/* Gives an error without a place the document's place; to one with a place of its own it adds which
 * of many documents is meant. Returns false. */
bool document_blame(const document *one, err *e);

#endif
