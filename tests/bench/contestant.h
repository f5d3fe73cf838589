/* A contestant: a process that has prepared one piece of work, and repeats it when it is asked to.
 *
 * It says "ready" when it is; then it reads a line "N", does the work N times, times each, and
 * answers the least milliseconds: those that the rest of the machine disturbed least. Between its
 * turns it is stopped, so that threads which spin while they wait for work take nothing from the
 * others. It ends at the end of its input. */
#ifndef SELFATTN_TESTS_BENCH_CONTESTANT_H
#define SELFATTN_TESTS_BENCH_CONTESTANT_H

#include "bench/words.h"

#include <stdio.h>
#include <sys/types.h>

typedef struct contestant {
    pid_t process; /* 0 where it could not be had */
    FILE *to, *from;
} contestant;

/* Starts a command on the first `processors` processors that this process may use; what it
 * complains of is appended to the file `complaints`. False where it does not come to be ready. */
bool contestant_start(contestant *c, const words *command, size_t processors,
                      const char *complaints);

/* The least of so many repetitions; NaN where it fails. */
double contestant_turn(contestant *c, long repetitions);

void contestant_end(contestant *c);

/* How many processors this process may use. */
size_t processors_here(void);

#endif
