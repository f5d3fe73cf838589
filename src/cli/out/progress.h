/* The progress line: on the terminal, it says how far a command is that takes more than a second,
 * and goes before anything else is written there.
 *
 * A thread of its own draws it from counters. With --quiet, or where standard error is not a
 * terminal, there is neither thread nor line: world->progress is NULL, which the other functions
 * take, and do nothing. */
#ifndef SELFATTN_CLI_OUT_PROGRESS_H
#define SELFATTN_CLI_OUT_PROGRESS_H

#include "attn/engine/run.h"
#include "cli/line/options.h"

#include <pthread.h>

typedef struct progress {
    atomic_size_t documents; /* done */
    run_progress run;        /* of the document that is computed */
    int width;               /* the line has at most so many columns */
    pthread_t thread;
    pthread_mutex_t lock; /* held by the thread that writes to the terminal */
    pthread_cond_t end;
    bool ends;
    int pauses; /* pauses without their resume so far */
} progress;

/* "12 documents done, block 3 of 40"; "reading" before any is. Public for its test. */
enum { PROGRESS_WORDS = 96 };
void progress_words(size_t documents, size_t done, size_t blocks, char words[PROGRESS_WORDS]);

/* Puts it into world->progress, from where progress_stop takes it. */
void progress_start(progress *p, const options *o, env *world);
void progress_stop(env *world);

void progress_document_done(progress *p);

/* To be called before and after anything is written to the terminal; pairs may be nested. */
void progress_pause(progress *p);
void progress_resume(progress *p);

/* Erases the line, if there is one. Safe to call from a signal handler that ends the program. */
void progress_erase(void);

#endif
