/* --stream: documents that are the rows of one sequence, a token or a block of them a line.
 *
 * What all rows share (weights, settings, a vocab) comes from options or from the first line that
 * was computed, and stays. Keys and values of the lines so far are kept, so that a row costs what
 * its attention costs, and gets the bytes that it would have in the whole sequence. */
#ifndef SELFATTN_CLI_IN_TOKEN_STREAM_H
#define SELFATTN_CLI_IN_TOKEN_STREAM_H

#include "attn/plan/kv_cache.h"
#include "cli/line/options.h"

typedef struct token_stream {
    bundle shared; /* what the first line said, and options beside it */
    bool has_shared;
    kv_cache cache;
} token_stream;

/* Whether options ask for nothing that a stream can't do. */
bool token_stream_check(const options *o, err *e);
/* Puts what all rows share under what a line says; a line that says such things again is
 * refused. */
bool token_stream_share(const token_stream *s, bundle *contents, err *e);
/* Takes what the first line said, where it is the first. */
void token_stream_keep(token_stream *s, bundle *contents);
void token_stream_close(token_stream *s);

#endif
