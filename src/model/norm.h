/* LayerNorm and RMSNorm over rows: kernels.h has the formulas. */
#ifndef SELFATTN_MODEL_NORM_H
#define SELFATTN_MODEL_NORM_H

#include "base/threads.h"
#include "kernels/kernels.h"
#include "tensor/bundle.h"

typedef struct norm {
    bool is_rms;
    bool eps_is_outside; /* of the root: / (√variance + eps), as some have it */
    double eps;
    tensor gain, bias; /* borrowed; no data: 1, and 0 */
} norm;

extern const named_table NORM_KINDS; /* layer, rms: plain `named` rows */

/* Reads gain, bias and eps for rows of so many columns; `from` may be NULL, which leaves the
 * defaults, of which that of eps may be another setting's. */
bool norm_read(norm *n, const entry *from, const entry *eps, bool is_rms, size_t width, err *e);

/* out = the norm of each row of x, n × width; both contiguous, and perhaps the same. False where
 * the squares of a row leave the range of float64. */
bool norm_rows(const norm *n, const kernels *with, const tensor *x, tensor *out, crew *by);

#endif
