/* What a tolerance of diff proves: where A carries its inputs, which mistakes pass. */
#ifndef SELFATTN_CLI_DIFF_DIFF_MISTAKES_H
#define SELFATTN_CLI_DIFF_DIFF_MISTAKES_H

#include "cli/diff/diff_pairs.h"
#include "cli/tell.h"
#include "why/missed_by_tolerance.h"

typedef struct diff_mistakes {
    bool are_known; /* a tolerance was asked for, and A's inputs give its numbers, or would, if it
                     * were not too long to try */
    bool is_without_output; /* which A's inputs do not give: there is a Wo, and A has it not */
    const char *name;       /* of A */
    missed_by_tolerance found;
} diff_mistakes;

/* To be freed in any case. */
bool diff_mistakes_find(diff_mistakes *m, const diff_result *d, const diff_file *a,
                        const options *o, err *e);
void diff_mistakes_free(diff_mistakes *m);

/* A line, or nothing where the tolerance tells all mistakes apart. */
void diff_mistakes_write_note(const diff_mistakes *m, text *out);
/* A member of diff's object, where they are known. */
void diff_mistakes_tell(const diff_mistakes *m, teller *t);

#endif
