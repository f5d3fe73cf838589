#include "cli/info/attention_facts.h"

#include "kernels/kernels.h"

static const char *sharing_name(const plan *p)
{
    if (p->heads == 1)
        return "one head";
    return p->kv_heads == p->heads ? "MHA" : p->kv_heads == 1 ? "MQA" : "GQA";
}

static const char *causal_name(causal which)
{
    static const char *const NAMES[] = {[CAUSAL_NONE] = "none",
                                        [CAUSAL_UPPER_LEFT] = "upper-left",
                                        [CAUSAL_LOWER_RIGHT] = "lower-right"};
    return NAMES[which];
}

void attention_facts_of_plan(attention_facts *out, const plan *p)
{
    out->type = p->type;
    out->batches = p->batches;
    out->heads = p->heads;
    out->kv_heads = p->kv_heads;
    out->queries = p->n_q;
    out->keys = p->n_k;
    out->key_width = p->k.width;
    out->value_width = p->v.width;
    out->cache_bytes = p->kv_heads * (p->k.width + p->v.width) * dtype_size(p->type);
    out->sharing = sharing_name(p);
    out->causal = causal_name(p->asked->causal);
    out->score = p->asked->score->named.name;
    out->scale = p->scale;
}

/* Weights alone are planned for one token of zeros, as wide as they take, and without what belongs
 * to certain tokens. False where there are none of keys and values. */
static bool add_token(problem *p, tensor *token)
{
    static double zero;
    const tensor *weight = p->in[INPUT_WK];
    if (weight == NULL || p->in[INPUT_WV] == NULL || weight->rank < 2)
        return false;
    int axis = weight->rank - (p->is_out_in[INPUT_WK] ? 1 : 2);
    *token = (tensor){.type = p->type, .rank = 2, .size = {1, weight->size[axis]}, .data = &zero};
    p->in[INPUT_X] = token;
    p->in[INPUT_MASK] = p->in[INPUT_BIAS] = NULL;
    p->tokens = p->key_tokens = NULL;
    return true;
}

static bool plan_asked(attention_facts *out, const problem *asked)
{
    plan p = {0};
    bool fits = plan_make(&p, asked, isa_best()->table(asked->type), &out->trouble);
    if (fits) {
        attention_facts_of_plan(out, &p);
        out->notes = p.notes;
        p.notes = (text_list){0};
    }
    plan_free(&p);
    return fits;
}

bool attention_facts_of(attention_facts *out, const bundle *document)
{
    problem asked = {0};
    tensor token;
    *out = (attention_facts){0};
    bool is_read = problem_read(&asked, document, &out->trouble), is_attention = true;
    if (is_read) {
        out->has_inputs = problem_has_inputs(&asked);
        is_attention = out->has_inputs || add_token(&asked, &token);
        if (is_attention)
            plan_asked(out, &asked);
    }
    problem_free(&asked);
    return is_attention;
}

void attention_facts_free(attention_facts *facts)
{
    text_list_free(&facts->notes);
    *facts = (attention_facts){0};
}
