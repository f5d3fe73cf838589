/* The cache: keys and values that came before, and whether the new ones fit after them. */
#include "attn/plan/plan_parts.h"

static bool find_past(const plan *p, input which, const projection *of, tensor *out, err *e)
{
    if (!plan_view_apart(p, which, p->kv_heads, out, e))
        return false;
    if (out->size[3] == of->width)
        return true;
    return plan_wrong_shape(p, which, e, "%zu wide per head, and the new %s are %zu wide",
                            out->size[3], of == &p->k ? "keys" : "values", of->width);
}

static bool check_pair(const problem *asked, err *e)
{
    bool has_k = asked->in[INPUT_PAST_K] != NULL, has_v = asked->in[INPUT_PAST_V] != NULL;
    input there = has_k ? INPUT_PAST_K : INPUT_PAST_V;
    return has_k == has_v || err_at(e, &asked->at[there], "%s is given, and no %s: a cache is both",
                                    input_label(there), has_k ? "past_v" : "past_k");
}

static bool find_rows(plan *p, err *e)
{
    if (!find_past(p, INPUT_PAST_K, &p->k, &p->past_k, e) ||
        !find_past(p, INPUT_PAST_V, &p->v, &p->past_v, e))
        return false;
    p->past = p->past_k.size[2];
    if (p->past_v.size[2] != p->past)
        return plan_wrong_shape(p, INPUT_PAST_V, e, "it has %zu rows, and past_k %zu",
                                p->past_v.size[2], p->past);
    p->n_k += p->past;
    return true;
}

bool plan_find_cache(plan *p, err *e)
{
    if (p->asked->cache != NULL)
        return plan_find_stream(p, e);
    if (!check_pair(p->asked, e) || (p->asked->in[INPUT_PAST_K] != NULL && !find_rows(p, e)))
        return false;
    p->offset = p->asked->has_offset ? p->asked->offset : p->past;
    return true;
}
