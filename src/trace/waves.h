/* How the waves of a row's positions are added to it, worked out: angles, and the sums of the
 * columns that have their sine and cosine. */
#ifndef SELFATTN_TRACE_WAVES_H
#define SELFATTN_TRACE_WAVES_H

#include "trace/build.h"

/* made = of + learned + PE; names are open brackets that a column goes on in: "x[2,". */
typedef struct wave_sum {
    const kernels *with;
    double position;
    tensor of, learned, made; /* one row of each; learned may have no data */
    const char *of_name, *learned_name, *made_name;
} wave_sum;

/* Of the first waves of the row. */
void waves_show(builder *b, const wave_sum *w);

#endif
