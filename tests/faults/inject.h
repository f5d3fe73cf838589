/* Which of the program's calls to the world outside fails, and how.
 *
 * wrap.c stands between the archive and the C library (ld's --wrap) and asks
 * here before each call. Only a child that has called inject_arm is ever told
 * to fail; the tests' own calls are not. */
#ifndef SELFATTN_TESTS_FAULTS_INJECT_H
#define SELFATTN_TESTS_FAULTS_INJECT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum call {
    CALL_ALLOCATION,
    CALL_OPEN,
    CALL_OPENDIR,
    CALL_READDIR,
    CALL_STAT,
    CALL_FSTAT,
    CALL_ACCESS,
    CALL_READLINK,
    CALL_FCNTL,
    CALL_MMAP,    /* a file as memory */
    CALL_RESERVE, /* addresses without a file */
    CALL_READ,
    CALL_WRITE,
    CALL_CLOSE_INPUT,
    CALL_CLOSE_OUTPUT,
    CALL_FCHMOD,
    CALL_FSYNC,
    CALL_RENAME,
    CALL_EXCHANGE,
    CALL_LOCK,
    CALL_THREAD,
    CALL_ANY, /* in a fault: of all but allocations */
    CALL_NONE
} call;

typedef enum effect {
    EFFECT_FAILS, /* with the fault's reason in errno */
    EFFECT_SHORT, /* does one byte of what was asked */
    EFFECT_KILLS, /* the signal `reason` comes just before the call */
    EFFECT_EDITS  /* somebody else writes into a file just before the call */
} effect;

typedef struct fault {
    call call;
    effect effect;
    int reason;    /* an errno, or a signal */
    size_t n;      /* the n-th call, from 1 */
    bool persists; /* so do all that follow */
    bool goes_on;  /* so do all that follow, of whatever kind */
    void (*edit)(void);
    bool no_exchange; /* after an edit files can't be exchanged */
    bool no_rename;   /* nor renamed */
} fault;

/* What a child's run came to. */
typedef struct tally {
    size_t calls[CALL_NONE]; /* of each kind */
    size_t injected;         /* those that were told to fail */
    long blocks;             /* allocated and not freed */
} tally;

/* Before all runs: a run without a fault then notes where its calls come from. */
bool inject_set_up(void);
void inject_arm(const fault *f);
tally inject_disarm(void);

/* Of the last run without a fault: by the same way through the program there were two calls
 * before the n-th, so to fail it shows nothing new. */
bool inject_is_alike(call which, size_t n);

/* True, with errno set, when this call is to fail. */
bool inject_fails(call which);
/* The bytes that a transfer of `size` may do; 0, with errno set, when it is to
 * fail. */
size_t inject_bytes(call which, size_t size);

/* Counts a block that was given (NULL: none was) or taken back. */
void *inject_given(void *block);
void inject_taken(const void *block);

#endif
