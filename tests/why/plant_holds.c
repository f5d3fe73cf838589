/* Right numbers under another stage's name. */
#include "why/plants.h"

#include <string.h>

static bool have_one_shape(const ref_stage *a, const ref_stage *b)
{
    return a->at != NULL && b->at != NULL && a->rank == b->rank &&
           memcmp(a->size, b->size, (size_t)a->rank * sizeof a->size[0]) == 0;
}

bool plant_hold(planting *of)
{
    ref_stage *to = &of->r->stage[of->with / REF_STAGES],
              *from = &of->r->stage[of->with % REF_STAGES];
    if (!have_one_shape(to, from))
        return false;
    memcpy(to->at, from->at, to->count * sizeof to->at[0]);
    return true;
}

bool plant_exchange(planting *of)
{
    ref_stage *one = &of->r->stage[of->with / REF_STAGES],
              *other = &of->r->stage[of->with % REF_STAGES];
    if (!have_one_shape(one, other))
        return false;
    for (size_t i = 0; i < one->count; i++) {
        const ref_number kept = one->at[i];
        one->at[i] = other->at[i];
        other->at[i] = kept;
    }
    return true;
}
