#include "attn/plan/plan_parts.h"

#include <string.h>

static bool check_not_empty(const plan *p, err *e)
{
    for (input which = INPUT_X; which < INPUT_COUNT; which++) {
        const tensor *given = p->asked->in[which];
        if (given != NULL && tensor_count(given) == 0)
            return plan_wrong_shape(p, which, e, "a size of 0 leaves nothing to attend to");
        if (given != NULL && given->rank > TENSOR_MAX_INPUT_RANK)
            return plan_wrong_shape(p, which, e, "a rank above %d is not read",
                                    TENSOR_MAX_INPUT_RANK);
    }
    return true;
}

static bool check_names(const plan *p, const text_list *names, const char *of, size_t rows, err *e)
{
    if (names == NULL || names->count == rows)
        return true;
    place at = problem_place(p->asked, of);
    return err_at(e, &at, "%s has %zu name%s, and the %s are %zu", of, names->count,
                  names->count == 1 ? "" : "s", strcmp(of, "tokens") == 0 ? "queries" : "keys",
                  rows);
}

static bool check_top(const plan *p, err *e)
{
    place at = problem_place(p->asked, "top");
    if (p->asked->cache != NULL)
        return true; /* the keys of later lines are still to come */
    return p->asked->top <= p->n_k || err_at(e, &at, "top is %zu keys, and there %s %zu",
                                             p->asked->top, p->n_k == 1 ? "is" : "are", p->n_k);
}

bool plan_make(plan *p, const problem *asked, const kernels *with, err *e)
{
    *p = (plan){.asked = asked, .type = asked->type, .with = with, .batches = 1, .heads = 1};
    bool fits = check_not_empty(p, e) && plan_find_batches(p, e) && plan_find_heads(p, e) &&
                plan_find_projections(p, e) && plan_find_gains(p, e) && plan_find_cache(p, e) &&
                plan_find_positions(p, e) && plan_find_rope(p, e) && plan_find_appended(p, e) &&
                plan_find_score(p, e) && plan_find_scale(p, e) && plan_find_causality(p, e) &&
                plan_find_key_lengths(p, e) && plan_find_masks(p, e) && plan_find_slopes(p, e) &&
                check_top(p, e) && plan_find_output(p, e) &&
                check_names(p, asked->tokens, "tokens", p->n_q, e) &&
                check_names(p, asked->key_tokens, "key_tokens", plan_own_keys(p), e);
    if (fits)
        plan_find_axes(p);
    return fits;
}

void plan_free(plan *p)
{
    tensor_free(&p->slopes);
    tensor_free(&p->ones);
    tensor_free(&p->zeros);
    text_list_free(&p->notes);
}
