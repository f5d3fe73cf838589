/* The kinds of failure: a table. */
#ifndef SELFATTN_TESTS_FAULTS_KINDS_H
#define SELFATTN_TESTS_FAULTS_KINDS_H

#include "faults/judge.h"

enum { MAX_KINDS = 32 };

extern const fault_kind FAULT_KINDS[];
extern const size_t FAULT_KIND_COUNT;

#endif
