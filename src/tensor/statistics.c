#include "tensor/statistics.h"

#include <math.h>

void statistics_add(statistics *to, double value)
{
    if (isfinite(value)) {
        if (to->finite == 0 || value < to->least)
            to->least = value;
        if (to->finite == 0 || value > to->greatest)
            to->greatest = value;
        to->sum += value;
        to->finite++;
    } else if (isinf(value)) {
        to->infinite++;
    } else if (tensor_is_hole(value)) {
        to->holes++;
    } else {
        to->nan++;
    }
}

void statistics_add_tensor(statistics *to, const tensor *t)
{
    if (t->rank == 0)
        statistics_add(to, tensor_get(t, NULL));
    const float *narrow = t->data;
    const double *wide = t->data;
    const unsigned char *truth = t->data;
    for (size_t i = 0; t->rank == 1 && i < t->size[0]; i++) {
        ptrdiff_t at = t->stride[0] * (ptrdiff_t)i;
        statistics_add(to, t->type == DTYPE_F32   ? (double)narrow[at]
                           : t->type == DTYPE_F64 ? wide[at]
                                                  : (double)truth[at]);
    }
    for (size_t i = 0; t->rank > 1 && i < t->size[0]; i++) {
        tensor part = tensor_at(t, i);
        statistics_add_tensor(to, &part);
    }
}

void statistics_join(statistics *to, const statistics *after)
{
    bool is_first = to->finite == 0;
    if (after->finite > 0 && (is_first || after->least < to->least))
        to->least = after->least;
    if (after->finite > 0 && (is_first || after->greatest > to->greatest))
        to->greatest = after->greatest;
    to->sum += after->sum;
    to->finite += after->finite;
    to->nan += after->nan;
    to->infinite += after->infinite;
    to->holes += after->holes;
}

double statistics_mean(const statistics *of)
{
    return of->finite == 0 ? NAN : of->sum / (double)of->finite;
}
