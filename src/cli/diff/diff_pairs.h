/* Which matrices of two results belong together, and what differs between them: all that diff has
 * to say, as data. */
#ifndef SELFATTN_CLI_DIFF_DIFF_PAIRS_H
#define SELFATTN_CLI_DIFF_DIFF_PAIRS_H

#include "attn/engine/compare.h"
#include "cli/diff/diff_files.h"
#include "compare/measure.h"

typedef struct diff_pair {
    const char *name; /* a's, or that of the side that has one; "matrix" where neither has */
    const entry *a, *b;
    tensor view_a, view_b; /* of the same shape; borrowed */
    const char *axes;      /* of that shape, where they are known */
    number_type type;      /* the coarser of the two: whose ulps are counted */
    tolerance within;
    measurement found;
} diff_pair;

typedef struct diff_result {
    const char *name_a, *name_b; /* of the files, as messages call them */
    diff_pair *pair;             /* stages in the order of the pipeline, then what else there is */
    size_t count, capacity;
    text_list only_a, only_b; /* names that the other lacks */
    size_t numbers, different, different_pairs;
    const diff_pair *first; /* that differs; NULL: none does */
} diff_result;

/* Matches by name, --map and --ignore, and checks shapes and tolerances; what there is to compare
 * is known then. Borrows from the files; to be freed, also when it fails. */
bool diff_match(diff_result *d, const diff_file file[2], const options *o, err *e);
/* Compares. */
void diff_measure(diff_result *d);
void diff_free(diff_result *d);

measured_side diff_side_a(const diff_pair *p);
measured_side diff_side_b(const diff_pair *p);
/* The first element that differs, where one does. */
element diff_first(const diff_pair *p);

#endif
