/* The five parts of the suite: the loop over all commands, faults planted to
 * show that it sees them, the program killed at any moment, threads that
 * can't be started, and another program that writes at any moment. */
#ifndef SELFATTN_TESTS_FAULTS_FAULTS_H
#define SELFATTN_TESTS_FAULTS_FAULTS_H

#include "faults/judge.h"

#include <stdint.h>

/* A run takes a millisecond, and fifty times that with a sanitizer. */
#if defined __SANITIZE_ADDRESS__
static const bool RUNS_ARE_SLOW = true;
#else
static const bool RUNS_ARE_SLOW = false;
#endif

typedef struct counts {
    size_t passed, failed;
    size_t edits; /* that were made */
} counts;

/* What is wrong, with the fault and the outcome (to be freed) of that run; NULL
 * where nothing is. */
const char *faults_try(const command_line *what, const fault_kind *kind, bool persists,
                       const outcome *clean, fault *f, outcome *got);

/* The next of a sequence of random bits (SplitMix64: Steele, Lea and Flood,
 * 2014). */
uint64_t faults_random(uint64_t *state);

void faults_planted(counts *c);
void faults_kill(counts *c);
void faults_threads(counts *c);
void faults_edits(counts *c);

#endif
