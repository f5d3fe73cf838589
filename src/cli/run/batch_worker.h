/* One thread of a batch: it takes a line, and does all of its document, down to the text of the
 * result.
 *
 * The last document stays, computed. Where the next line is like it but for its numbers, as most
 * lines of a stream are, they take the places of its own, and the same plan is run again, in the
 * same memory. */
#ifndef SELFATTN_CLI_RUN_BATCH_WORKER_H
#define SELFATTN_CLI_RUN_BATCH_WORKER_H

#include "base/threads.h"
#include "cli/in/document.h"
#include "cli/out/outputs.h"

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

bool batch_worker_open(batch_worker *w, document_reader *all, const options *o, const outputs *to,
                       err *e);
void batch_worker_close(batch_worker *w);

/* The result of the line, added to outputs_text(&w->to); false where the line is left to others,
 * for whatever reason. Then *read is the document, to be freed, if it was read without an error;
 * else its `file` is NULL. */
bool batch_worker_do(batch_worker *w, const document_line *line, document *read);

#endif
