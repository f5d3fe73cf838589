/* A command line, run by the program itself in a forked child, in a scratch
 * folder, with one of its calls failing; and what became of it. */
#ifndef SELFATTN_TESTS_FAULTS_CHILD_H
#define SELFATTN_TESTS_FAULTS_CHILD_H

#include "base/text.h"
#include "cli/line/env.h"
#include "faults/inject.h"

enum { MAX_OUTPUTS = 3, MAX_WORDS = 24 };

typedef struct command_line {
    const char *words;   /* with spaces between; the last may be <FILE: standard input */
    const char *outputs; /* the files that it writes, with spaces between; NULL:
                          none. One whose name begins with "new" is not there
                          before, the others hold what child_old says. */
    size_t documents;    /* errors that it may report: one a document; 0 counts as 1 */
    bool streams;        /* a result a document, each written before the next is read */
    int (*run)(int argc, char **argv, env *world); /* NULL: the program, cli_main */
    bool tries_again;                              /* what one of several threads could not do */
    bool tells_errors;                             /* an error is a line of standard output too */
    bool is_long;                                  /* of its many calls, some fail in turn */
    bool is_whole;                                 /* all do, however many there are */
    bool is_refused;                               /* with status 2 */
} command_line;

/* What a file that is written held before: an input's own content. */
const char *child_old(const char *name);

/* A file that a command may have written. */
typedef struct output {
    char name[64];
    bool is_there;
    text content;
} output;

typedef struct outcome {
    int status; /* what the child ended with, or −1 */
    int signal; /* that ended it, or 0 */
    text out, err;
    output file[MAX_OUTPUTS];
    size_t files;
    char strange[256]; /* a file that nobody asked for, removed since; or empty */
    bool reports;      /* the child came to its end, and the rest is known */
    tally counted;
    int descriptors; /* left open */
} outcome;

/* Makes the scratch folder with its inputs; all commands run in it. */
bool child_set_up(void);
void child_tear_down(void);

/* Reads a file whole; false where there is none. */
bool child_read_file(const char *name, text *content);
/* Removes the files whose names begin so; the name of the last of them, or an empty one. */
const char *child_empty_folder(const char *name, const char *beginning);

/* Starts the command, with this fault, and gives the child's process;
 * child_wait fills the outcome, to be freed. */
int child_start(const command_line *what, const fault *f);
void child_wait(const command_line *what, int process, outcome *got);
void child_run(const command_line *what, const fault *f, outcome *got);
void outcome_free(outcome *got);

#endif
