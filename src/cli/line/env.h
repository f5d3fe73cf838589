/* The outside world in one place: streams, terminal, colour, memory. Nothing below cli reads a
 * global, getenv or isatty; main fills an env once, tests fill their own. */
#ifndef SELFATTN_CLI_LINE_ENV_H
#define SELFATTN_CLI_LINE_ENV_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct options;
struct progress;

enum { EXIT_DONE = 0, EXIT_DIFFER = 1, EXIT_WRONG = 2 };

enum {
    WIDTH_OF_FILES = 100, /* of text in columns, which no terminal shows now */
    MOST_WIDTH = 1000     /* wider than screens are: beyond it a rule is all that grows */
};

typedef struct env {
    FILE *err;                 /* everything said to a person */
    text *said;                /* takes it in place of err; NULL: nothing does */
    bool *is_noted;            /* set in place of a note that would be said; NULL: they are said */
    struct progress *progress; /* what shares the terminal with it; NULL: nothing does */
    bool stdin_is_terminal, stdout_is_terminal, stderr_is_terminal;
    bool no_color;      /* NO_COLOR is set and not empty, or TERM is dumb */
    bool is_process;    /* nothing else runs in it: it can be shut in */
    int width;          /* columns of the terminal; where there is none COLUMNS, or 100 */
    size_t processors;  /* of the affinity mask */
    size_t free_memory; /* what the machine and its cgroup have free, bytes */
} env;

void env_open(env *world);

/* Says it to a person. To a stream nothing is allocated. */
void env_say(const env *world, const char *bytes, size_t length);

/* Seconds on a clock that never goes back. */
double clock_seconds(void);

/* How many bytes of memory may still be used: what the machine has available, or less where a
 * control group of the process, or a group around it, leaves less. `root` is "" for this machine;
 * tests give a folder that holds proc/ and sys/. */
size_t free_memory(const char *root);

/* The process shuts itself in before it reads anything: from then on the kernel refuses every file
 * but those that the command line names and their outputs' folders (Landlock), and new programs
 * and processes, sockets, what reaches into other processes, and changes of files that are not
 * open (seccomp). Input that finds an error in us then finds nothing to do with it. Where a
 * kernel, or an emulator, has none of that, nothing happens. Holds for this thread and those that
 * it starts, for good. `written`: an operand that is an output, or NULL. 0, or an errno: the
 * kernel has rules about files, did not take one of ours, and so has none of them. */
int sandbox_enter(const struct options *o, const char *written);

#endif
