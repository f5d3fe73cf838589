/* What must hold of a run in which any one thing failed. */
#ifndef SELFATTN_TESTS_FAULTS_JUDGE_H
#define SELFATTN_TESTS_FAULTS_JUDGE_H

#include "faults/child.h"

/* A kind of failure, and what the program may do about it. */
typedef struct fault_kind {
    const char *name;
    call call;
    effect effect;
    int reason;
    bool may_go_on;    /* the same answer as without the failure is as good as an
                        error */
    bool must_go_on;   /* nothing else is */
    bool once_only;    /* failing for ever would be waiting for ever */
    bool after_output; /* standard output may be half written by then */
    const char *note;  /* a note with this in it may be said; NULL: none */
} fault_kind;

/* NULL where all is well, else what is wrong. `clean` is the run without a
 * failure. */
const char *judge(const command_line *what, const fault_kind *kind, const outcome *clean,
                  const outcome *got);

/* The same of a run that a signal ended: its files are old or new, and no other
 * is there. */
const char *judge_files(const outcome *clean, const outcome *got, bool may_leave_temporary);

/* A run without a failure, which all others are compared with. */
const char *judge_clean(const command_line *what, const outcome *clean);

bool judge_same_text(const text *a, const text *b);

#endif
