/* Small documents of a stream, several at once: a thread takes a line and does all of it, down to
 * the text of its result.
 *
 * What is no plain sailing (an error, a note to be said, a file to be read first, a document so
 * large that all threads should work on it) is left to the caller, who does it as if there were no
 * batch. So the results are the same bytes, in the same order. */
#ifndef SELFATTN_CLI_BATCH_H
#define SELFATTN_CLI_BATCH_H

#include "base/threads.h"
#include "cli/document.h"
#include "cli/outputs.h"

#include <stdatomic.h>

typedef struct batch_item {
    document_line line;
    bool is_done;
    const char *result;           /* borrowed until the next step */
    size_t worker, start, length; /* where it stands in its worker's text */
} batch_item;

typedef struct batch_worker {
    options given;
    env world;
    outputs to; /* in memory */
    err bad;    /* that a document is left for */
} batch_worker;

typedef struct batch {
    const options *given;
    const env *world;
    documents *documents;
    const outputs *to;
    batch_item *item;
    size_t count, done; /* lines taken, and those of them that were handed back */
    size_t threads;
    crew crew;            /* of so many, where that is not 0 */
    batch_worker *worker; /* so many, once there is something to do */
    atomic_size_t next;   /* item to be done */
    double ends;          /* when no further one is begun, on the monotonic clock */
} batch;

/* Without a second thread, for --stream, and where results are no text, there is just none. */
void batch_open(batch *b, const options *o, const env *world, documents *all, const outputs *to);
void batch_close(batch *b);

/* The next lines, done or left to the caller, at *items until the next step: *count of them, 0
 * where the next line has to be waited for. Some tens of milliseconds' work at most, so that
 * results can go out. Fails for want of memory. */
bool batch_step(batch *b, const batch_item **items, size_t *count, err *e);

#endif
