/* The rows of the table that `make bench` prints: what is measured, against whom, and how fast it
 * must be. Adding a row, or a rival, is one line in rows.c. */
#ifndef SELFATTN_TESTS_BENCH_ROWS_H
#define SELFATTN_TESTS_BENCH_ROWS_H

#include <stdbool.h>
#include <stddef.h>

enum { ENTRIES_MOST = 8 };

/* The programs that can be measured. */
typedef struct rival {
    const char *name;
    const char *shown;
    const char *command;    /* takes the entry's and the row's words; @ is this program's name */
    const char *to_have_it; /* what to install */
} rival;

typedef struct row {
    const char *name;  /* "core 2048 x 8 x 64": `make bench WORK=core` takes what has the word */
    const char *words; /* what is measured, for every entry */
    /* A rival's name and further words. The first entry is ours; each other one is a line of the
     * table, and its number is how many times as long it takes … */
    const char *entry[ENTRIES_MOST];
    /* … or there is one line, called `against`, for the number that `value` makes of what the
     * entries measured in one round. */
    double (*value)(const double *measured);
    const char *against;
    size_t threads; /* only so many; 0: first 1, then 2 */
    bool at_most;   /* bar and goal are the greatest that the number may be, not the least */
    double bar, goal;
} row;

extern const row ROWS[];
extern const size_t ROW_COUNT;

/* The rival that an entry's first word names. */
const rival *rival_of(const char *entry);

#endif
