#include "why/attempt_numbers.h"

#include <assert.h>

tensor *attempt_matrix(attempt *a, dtype type, int rank, const size_t *size, err *e)
{
    assert(a->made_count < ATTEMPT_MATRICES);
    tensor *made = &a->made[a->made_count];
    if (!tensor_new(made, type, rank, size, e))
        return NULL;
    a->made_count++;
    return made;
}

tensor *attempt_copy(attempt *a, const tensor *of, err *e)
{
    tensor *made = attempt_matrix(a, of->type, of->rank, of->size, e);
    if (made != NULL)
        tensor_copy(of, made);
    return made;
}

tensor attempt_stage(const attempt *a, stage_id id)
{
    return plan_all_axes(&a->plan, id, &a->stage[id]);
}

tensor attempt_values(const attempt *a)
{
    tensor all = attempt_stage(a, a->plan.past > 0 ? STAGE_PRESENT_V : STAGE_V);
    return plan_heads_apart(&all, a->plan.kv_heads);
}
