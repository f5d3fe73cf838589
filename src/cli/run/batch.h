/* Small documents of a stream, several at once: each thread takes a line after the other, and does
 * all of it.
 *
 * What is not plain sailing (an error, a note to be said, a file to be read first, a document so
 * large that all threads should work on it) is left to the caller, who does it as if there were no
 * batch. So the results are the same bytes, in the same order. */
#ifndef SELFATTN_CLI_RUN_BATCH_H
#define SELFATTN_CLI_RUN_BATCH_H

#include "base/threads.h"
#include "cli/in/document.h"
#include "cli/out/outputs.h"

#include <stdatomic.h>

/* One thread. The last document stays, computed. Where the next line is like it but for its
 * numbers, as most lines of a stream are, they take the places of its own, and the same plan is run
 * again, in the same memory. */
typedef struct batch_worker {
    document_reader *documents;
    options given;
    bool is_quiet; /* what would be said of a document is not wanted */
    outputs to;    /* in memory */
    err bad;       /* that a document is left for */
    crew alone;    /* this thread */
    run_room *room;
    packed_weights packed_weights; /* that lines have in common */
    json_again again;
    document last; /* its work borrows from it */
    work solved;   /* of the last one, */
    bool has_last; /* where there is one */
} batch_worker;

typedef struct batch_item {
    document_line line;
    bool is_done;
    document read;      /* of a line that is not done; its file is NULL: to be read anew */
    const char *result; /* borrowed until the next step */
    size_t worker, start, length; /* where it stands in its worker's text */
} batch_item;

typedef struct batch {
    const options *given;
    document_reader *documents;
    const outputs *to;
    batch_item *item;
    size_t count, done; /* lines taken, and those of them that were handed back */
    size_t threads;
    crew crew;            /* of so many, where that is not 0 */
    batch_worker *worker; /* as many, once there is something to do */
    size_t workers;       /* of them that were opened */
    atomic_size_t next;   /* item to be done */
    double ends;          /* when no further one is begun, on the monotonic clock */
} batch;

/* For --stream, and where results are not text, there is just none. */
void batch_open(batch *b, const options *o, document_reader *all, const outputs *to);
void batch_close(batch *b);

/* The next lines, done or left to the caller, at *items until the next step: *count of them, 0
 * where the next line has to be waited for. Some tens of milliseconds' work at most, so that
 * results can go out. Whoever takes an item's document clears it there. Fails for want of
 * memory. */
bool batch_step(batch *b, batch_item **items, size_t *count, err *e);

#endif
