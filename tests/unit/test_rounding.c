/* Rounding by hand, calculated by hand. */
#include "unit.h"

#include "attn/engine/rows.h"

static void keep_sum(unit *u, const double *in, size_t count, int decimals, const double *wanted)
{
    double row[4];
    share shares[4];
    tensor t;
    tensor_own(&t, DTYPE_F64, 2, (size_t[]){1, count}, row);
    for (size_t j = 0; j < count; j++)
        row[j] = in[j];
    rows_round_keep_sum(&t, decimals, &t, shares);
    for (size_t j = 0; j < count; j++)
        CHECK(u, row[j] == wanted[j]);
}

UNIT(rounding)
{
    /* 3.3 units each, of which one is missing: the earliest key has it */
    keep_sum(u, (double[]){1.0 / 3, 1.0 / 3, 1.0 / 3}, 3, 1, (double[]){0.4, 0.3, 0.3});
    /* 0.2, 6.35 and 3.45 units: 0, 6 and 3, and one more for the largest rest */
    keep_sum(u, (double[]){0.02, 0.635, 0.345}, 3, 1, (double[]){0, 0.6, 0.4});
    keep_sum(u, (double[]){0, 0, 0}, 3, 1, (double[]){0, 0, 0});
    /* no sum of 1: 1 and 2 units, and 7 that are missing, 3 to each and one to the rest of 0.3 */
    keep_sum(u, (double[]){0.1, 0.23}, 2, 1, (double[]){0.4, 0.6});
    /* as many as 5·10¹⁴ are no matter of time */
    keep_sum(u, (double[]){0.25, 0.25}, 2, 15, (double[]){0.5, 0.5});
}
