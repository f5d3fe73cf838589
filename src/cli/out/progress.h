/* A line on the terminal that says how far a long piece of work is: after a second, and gone before
 * anything else is written there.
 *
 * A thread of its own draws it, from counters that the work moves on. With --quiet,
 * or where standard error is a file or a pipe, there is neither thread nor line, and the other
 * functions, which take NULL for that, do nothing. */
#ifndef SELFATTN_CLI_OUT_PROGRESS_H
#define SELFATTN_CLI_OUT_PROGRESS_H

#include "attn/engine/run.h"
#include "cli/line/options.h"

#include <pthread.h>

typedef struct progress {
    atomic_size_t documents; /* done */
    run_progress run;        /* of the one that is computed */
    int width;               /* columns that the line may have */
    pthread_t thread;
    pthread_mutex_t lock; /* held by who writes to the terminal */
    pthread_cond_t end;
    bool ends;
    int pauses; /* that are going on */
} progress;

/* "12 documents done, block 3 of 40"; "reading" before any is. */
enum { PROGRESS_WORDS = 96 };
void progress_words(size_t documents, size_t done, size_t blocks, char words[PROGRESS_WORDS]);

/* Puts it into world->progress, from where progress_stop takes it. */
void progress_start(progress *p, const options *o, env *world);
void progress_stop(env *world);

void progress_document_done(progress *p);

/* Before anything is written to the terminal, and after; a pair may lie within another. */
void progress_pause(progress *p);
void progress_resume(progress *p);

/* Erases the line where there is one; safe to call from a signal handler that ends the program. */
void progress_erase(void);

#endif
