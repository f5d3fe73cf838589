/* Norms of rows, LayerNorm and RMSNorm, and their way back; kernels.h has the way there. */
#ifndef SELFATTN_ATTN_ENGINE_NORMS_H
#define SELFATTN_ATTN_ENGINE_NORMS_H

#include "tensor/tensor.h"

/* What a wrong way back does otherwise, looked for among numbers that are wrong (src/why). */
typedef enum norm_slip {
    NORM_RIGHT,
    NORM_WITHOUT_MEAN,  /* dx = from */
    NORM_WITHOUT_AGAIN, /* from = gain·dy · inverse */
    NORM_OF_CONSTANTS,  /* both: mean and root are taken for constants */
    NORM_MULTIPLIED,    /* by the root in the place of its inverse */
    NORM_GAIN_LATE,     /* dx is made of dy, and then multiplied by the gain */
    NORM_PASSED_BY,     /* dx = dy */
    NORM_GAIN_OF_X,     /* the gain gains dy · x */
    NORM_GAIN_OF_Y,     /* the gain gains dy · y */
} norm_slip;

typedef struct norm {
    bool is_rms;
    bool eps_is_outside; /* of the root: / (√variance + eps), as some have it */
    double eps;
    tensor gain, bias; /* a number a column; borrowed; no data: 1, and 0 */
    norm_slip slip;
} norm;

/* Of a row of x, where that of y = deviation · inverse · gain + bias has the gradient dy:
 *     deviation = x − mean, of an RMSNorm x
 *     root = √(mean of deviation² + eps), inverse = 1 / root, and 0 where the root is
 *     again = Σ gain·dy·deviation / n · inverse / root
 *     from = (gain·dy − deviation·again) · inverse
 *     dx = from − mean of from, of an RMSNorm from
 * in float64, each sum a chain in index order, each number rounded once to the type; a slip changes
 * that. An eps outside of the root is added to it for the inverse alone. The mean is the first
 * number and the mean of what all are away from it, so that equal numbers have no deviation. dx may
 * be dy. */
void norm_back(const norm *by, const tensor *x, const tensor *dy, const tensor *dx);

/* Adds what the row gives to the gradient of the gain: dy · deviation · inverse. */
void norm_gain_back(const norm *by, const tensor *x, const tensor *dy, double *sum);

#endif
