/* --stream: documents that are the rows of one sequence, a token or a block of them a line.
 *
 * What all rows share (weights, settings, a vocab) comes from options or from the first line that
 * was computed, and stays. Keys and values of the lines so far are kept, so that a row costs what
 * its attention costs, and gets the bytes that it would have in the whole sequence. */
#ifndef SELFATTN_CLI_IN_KV_SESSION_H
#define SELFATTN_CLI_IN_KV_SESSION_H

#include "attn/plan/kv_cache.h"
#include "cli/line/options.h"

typedef struct kv_session {
    bundle shared; /* what the first line said, and options besides it */
    bool has_shared;
    kv_cache cache;
} kv_session;

/* Whether options ask for nothing that a stream can't do. */
bool kv_session_check(const options *o, err *e);
/* Puts what all rows share under what a line says; a line that says such things again is
 * refused. */
bool kv_session_share(const kv_session *s, bundle *contents, err *e);
/* Takes what the first line said, where it is the first. */
void kv_session_keep(kv_session *s, bundle *contents);
void kv_session_close(kv_session *s);

#endif
