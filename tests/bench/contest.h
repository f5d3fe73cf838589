/* One row, measured: its entries take turns, round after round, so that a round's numbers were
 * taken within a second of each other and can be divided. */
#ifndef SELFATTN_TESTS_BENCH_CONTEST_H
#define SELFATTN_TESTS_BENCH_CONTEST_H

#include "bench/rows.h"

enum { ROUNDS_MOST = 15 };

typedef struct contest {
    size_t entries, rounds;
    bool is_here[ENTRIES_MOST];
    double measured[ROUNDS_MOST][ENTRIES_MOST];
    double peak[ROUNDS_MOST]; /* the time of the first entry's bare multiply-adds */
    bool has_peak;
} contest;

typedef struct contest_place {
    const char *self;       /* this program */
    const char *complaints; /* the file that takes what contestants complain of */
} contest_place;

void contest_hold(contest *c, const row *r, size_t threads, const contest_place *at);

#endif
