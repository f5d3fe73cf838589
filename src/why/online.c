/* Mistakes of a softmax that takes keys block by block, and rescales what it has summed so far
 * where a block has a greater maximum. */
#include "why/blunders.h"

#include <math.h>

/* exp(logit − maximum); 0 for a key that is hidden, whatever the others are. */
static double term_of(double logit, double maximum)
{
    return isinf(logit) ? 0 : exp(logit - maximum);
}

/* Each key's term as it is when its block is summed. Gives the maximum of all. */
static double terms_of_row(const tensor *masked, const size_t *row, size_t block, tensor *terms)
{
    double maximum = -INFINITY;
    for (size_t first = 0, keys = masked->size[3]; first < keys; first += block) {
        size_t end = first + block < keys ? first + block : keys;
        for (size_t j = first; j < end; j++)
            maximum = fmax(maximum, tensor_get(masked, (size_t[]){row[0], row[1], row[2], j}));
        for (size_t j = first; j < end; j++) {
            size_t at[] = {row[0], row[1], row[2], j};
            tensor_set(terms, at, term_of(tensor_get(masked, at), maximum));
        }
    }
    return maximum;
}

static void weigh_row(const tensor *masked, const size_t *row, int with, tensor *weights)
{
    double maximum = terms_of_row(masked, row, (size_t)(with / ONLINE_BLOCK), weights), sum = 0;
    for (size_t j = 0; j < masked->size[3]; j++) {
        size_t at[] = {row[0], row[1], row[2], j};
        double rescaled = term_of(tensor_get(masked, at), maximum);
        sum += with & ONLINE_SUM ? tensor_get(weights, at) : rescaled;
        if (!(with & ONLINE_OUTPUT))
            tensor_set(weights, at, rescaled);
    }
    for (size_t j = 0; j < masked->size[3] && sum > 0; j++) {
        size_t at[] = {row[0], row[1], row[2], j};
        tensor_set(weights, at, tensor_get(weights, at) / sum);
    }
}

/* A sink's logit is in no block. */
bool blunder_online(attempt *a, int with, err *e)
{
    tensor masked = attempt_stage(a, STAGE_MASKED), weights = attempt_stage(a, STAGE_WEIGHTS);
    size_t at[4] = {0}, last = masked.size[3] - 1;
    (void)e;
    if ((size_t)(with / ONLINE_BLOCK) > last || a->problem.in[INPUT_SINKS] != NULL)
        return false;
    do {
        weigh_row(&masked, at, with, &weights);
        at[3] = last;
    } while (tensor_next(&masked, at));
    return true;
}
