/* The five parts of the suite: the loop over all commands, faults planted to
 * show that it sees them, the program killed at any moment, threads that
 * can't be started, and somebody who writes at any moment. */
#ifndef SELFATTN_TESTS_FAULTS_FAULTS_H
#define SELFATTN_TESTS_FAULTS_FAULTS_H

#include "faults/judge.h"

typedef struct counts {
    size_t passed, failed;
} counts;

/* What is wrong, with the fault and the outcome (to be freed) of that run; NULL
 * where nothing is. */
const char *faults_try(const command_line *what, const fault_kind *kind, bool persists,
                       const outcome *clean, fault *f, outcome *got);

void faults_planted(counts *c);
void faults_kill(counts *c);
void faults_threads(counts *c);
void faults_edits(counts *c);

#endif
