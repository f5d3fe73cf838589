/* A contest as lines of the table. */
#ifndef SELFATTN_TESTS_BENCH_REPORT_H
#define SELFATTN_TESTS_BENCH_REPORT_H

#include "bench/contest.h"

void report_head(void);
void report_row(const row *r, const contest *c, size_t threads);

#endif
