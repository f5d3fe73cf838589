/* What normalized queries and keys are multiplied by. */
#include "attn/plan/plan_parts.h"

/* As many numbers as a head is wide for all heads, or for each. */
static bool find_gain(const plan *p, input which, const projection *of, tensor *out, err *e)
{
    const tensor *given = p->asked->in[which];
    if (given == NULL)
        return true;
    size_t count = tensor_count(given);
    if (given->rank > 2 || (count != of->width && count != of->heads * of->width))
        return plan_wrong_shape(p, which, e, "it must hold %zu number%s, or as many a head",
                                of->width, of->width == 1 ? "" : "s");
    bool is_shared = count == of->width;
    *out = (tensor){.type = given->type,
                    .rank = 2,
                    .size = {of->heads, of->width},
                    .stride = {is_shared ? 0 : (ptrdiff_t)of->width, 1},
                    .data = given->data};
    return true;
}

static bool check_belongs(const problem *asked, err *e)
{
    static const char *const PARTS[] = {"q_gain", "k_gain", "qk_eps"};
    return asked->normalizes || plan_refuse_parts(asked, PARTS, sizeof PARTS / sizeof PARTS[0],
                                                  "queries and keys are not normalized",
                                                  "--qk-norm rms normalizes them", e);
}

bool plan_find_gains(plan *p, err *e)
{
    return check_belongs(p->asked, e) && find_gain(p, INPUT_Q_GAIN, &p->q, &p->q_gain, e) &&
           find_gain(p, INPUT_K_GAIN, &p->k, &p->k_gain, e);
}
