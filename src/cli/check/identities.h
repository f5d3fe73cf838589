/* What holds of gradients, of all their numbers at once, with nothing to compare them with. */
#ifndef SELFATTN_CLI_CHECK_IDENTITIES_H
#define SELFATTN_CLI_CHECK_IDENTITIES_H

#include "cli/check/checker.h"

/* Whose gradients they are, and in float64 what is theirs to be made of. */
typedef struct identities {
    const plan *of;
    const bundle *gradients;
    const bundle *stages; /* q, k and attended_grad, as far as they are needed */
    bool has_empty_rows;  /* a query sees nothing */
    double tol;           /* in proportion to what the sums are made of */
} identities;

/* Adds a line for each that can be asked of the gradients that are there: Σ q·q_grad = Σ k·k_grad,
 * as queries and keys are compared by their product alone; rows of masked_grad, or of scores_grad,
 * sum to 0, as weights sum to 1; and so Σ v_grad = Σ attended_grad. */
void check_identities(checker *c, const document *one, const identities *by);

#endif
