/* Numbers that are right and stand under another stage's name: nothing is computed wrongly. */
#include "why/blunders.h"

static bool fit(const tensor *one, const tensor *other)
{
    return one->data != NULL && other->data != NULL && tensor_same_shape(one, other);
}

bool blunder_hold(attempt *a, int with, err *e)
{
    tensor *to = &a->stage[with / STAGE_COUNT], *from = &a->stage[with % STAGE_COUNT];
    (void)e;
    if (!fit(to, from))
        return false;
    tensor_copy(from, to);
    return true;
}

bool blunder_exchange(attempt *a, int with, err *e)
{
    tensor *one = &a->stage[with / STAGE_COUNT], *other = &a->stage[with % STAGE_COUNT];
    if (!fit(one, other))
        return false;
    const tensor kept = *one;
    (void)e;
    *one = *other;
    *other = kept;
    return true;
}
