/* Rows after the keys and values of the sequence, as PyTorch's nn.MultiheadAttention has them
 * (add_bias_kv, add_zero_attn; torch/nn/functional.py, multi_head_attention_forward): first the
 * learned row, then zeros. */
#include "attn/plan/plan_parts.h"

static bool find_row(const plan *p, input which, const projection *after, tensor *out, err *e)
{
    const tensor *given = p->asked->in[which];
    size_t count = after->heads * after->width;
    if (tensor_count(given) != count)
        return plan_wrong_shape(p, which, e, "it must hold %zu number%s, one a column of %s", count,
                                count == 1 ? "" : "s", input_key(after->given_as));
    *out = (tensor){
        .type = given->type, .rank = 1, .size = {count}, .stride = {1}, .data = given->data};
    return true;
}

static bool find_learned(plan *p, err *e)
{
    const problem *asked = p->asked;
    bool has_k = asked->in[INPUT_BIAS_K] != NULL, has_v = asked->in[INPUT_BIAS_V] != NULL;
    if (has_k != has_v) {
        input there = has_k ? INPUT_BIAS_K : INPUT_BIAS_V;
        return err_at(e, &asked->at[there], "%s is given without %s: a key needs a value",
                      input_key(there), input_key(has_k ? INPUT_BIAS_V : INPUT_BIAS_K));
    }
    return !has_k || (find_row(p, INPUT_BIAS_K, &p->k, &p->bias_k, e) &&
                      find_row(p, INPUT_BIAS_V, &p->v, &p->bias_v, e));
}

/* What nothing says of an appended row. Zeros are zeros at each position, and normalized. */
static bool check_alone(const plan *p, err *e)
{
    const problem *asked = p->asked;
    bool is_learned = asked->in[INPUT_BIAS_K] != NULL;
    const char *name = is_learned ? "bias_k" : "add_zero";
    const struct {
        bool is_open;
        const char *name, *what;
    } others[] = {
        {p->past > 0, "past_k", "whether an appended row is kept for the next step"},
        {is_learned && asked->rope.is_asked, "rope", "by which position an appended row is turned"},
        {is_learned && asked->normalizes, "qk_norm", "whether an appended row is normalized"}};
    place at = is_learned ? asked->at[INPUT_BIAS_K] : problem_place(asked, name);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (others[i].is_open)
            return err_at(e, &at, "%s with %s: nothing says %s", name, others[i].name,
                          others[i].what);
    }
    return true;
}

bool plan_find_appended(plan *p, err *e)
{
    if (!find_learned(p, e))
        return false;
    p->appended = (p->bias_k.data != NULL ? 1u : 0u) + (p->asked->adds_zero ? 1u : 0u);
    p->n_k += p->appended;
    return p->appended == 0 || check_alone(p, e);
}
