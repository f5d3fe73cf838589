#include "attn/spec/problem.h"

#include "attn/spec/settings.h"

#include <string.h>

static const struct {
    const char *key, *label;
} INPUTS[INPUT_COUNT] = {
    [INPUT_X] = {"x", "x"},
    [INPUT_XK] = {"xk", "xk"},
    [INPUT_XV] = {"xv", "xv"},
    [INPUT_WQ] = {"wq", "Wq"},
    [INPUT_WK] = {"wk", "Wk"},
    [INPUT_WV] = {"wv", "Wv"},
    [INPUT_WO] = {"wo", "Wo"},
    [INPUT_BQ] = {"bq", "bq"},
    [INPUT_BK] = {"bk", "bk"},
    [INPUT_BV] = {"bv", "bv"},
    [INPUT_BO] = {"bo", "bo"},
    [INPUT_Q] = {"q", "q"},
    [INPUT_K] = {"k", "k"},
    [INPUT_V] = {"v", "v"},
    [INPUT_PAST_K] = {"past_k", "past_k"},
    [INPUT_PAST_V] = {"past_v", "past_v"},
    [INPUT_Q_GAIN] = {"q_gain", "q_gain"},
    [INPUT_K_GAIN] = {"k_gain", "k_gain"},
    [INPUT_MASK] = {"mask", "mask"},
    [INPUT_BIAS] = {"bias", "bias"},
    [INPUT_WS] = {"ws", "Ws"},
    [INPUT_BS] = {"bs", "bs"},
    [INPUT_WA] = {"wa", "Wa"},
    [INPUT_UA] = {"ua", "Ua"},
    [INPUT_VA] = {"va", "va"},
    [INPUT_BA] = {"ba", "ba"},
    [INPUT_SINKS] = {"sinks", "sinks"},
    [INPUT_BIAS_K] = {"bias_k", "bias_k"},
    [INPUT_BIAS_V] = {"bias_v", "bias_v"},
};

const char *input_key(input which)
{
    return INPUTS[which].key;
}

const char *input_label(input which)
{
    return INPUTS[which].label;
}

input input_of_key(const char *key)
{
    input which = INPUT_X;
    while (which < INPUT_COUNT && strcmp(INPUTS[which].key, key) != 0)
        which++;
    return which;
}

place problem_place(const problem *p, const char *key)
{
    const entry *found = bundle_find(p->document, key);
    return found == NULL ? (place){0} : found->at;
}

static const text_list *list_of(const bundle *document, const char *key)
{
    const entry *found = bundle_find(document, key);
    return found != NULL && found->kind == ENTRY_LIST ? &found->list : NULL;
}

static void read_inputs(problem *p)
{
    for (input which = INPUT_X; which < INPUT_COUNT; which++) {
        const entry *found = bundle_find(p->document, input_key(which));
        if (found == NULL || found->kind != ENTRY_TENSOR)
            continue;
        p->in[which] = &found->tensor;
        p->at[which] = found->at;
        p->stays[which] = found->stays;
    }
    p->tokens = list_of(p->document, "tokens");
    p->key_tokens = list_of(p->document, "key_tokens");
}

static const tensor *word_vector(const problem *p, const entry *vocab, const char *word, err *e)
{
    place at = problem_place(p, "tokens");
    const tensor *vector = bundle_tensor(vocab->bundle, word);
    if (vector == NULL) {
        err_at(e, &at, "the token \"%s\" is not in the vocab", word);
        return NULL;
    }
    const tensor *first = &vocab->bundle->entry[0].tensor;
    char shape[SHAPE_TEXT], first_shape[SHAPE_TEXT];
    at = bundle_find(vocab->bundle, word)->at;
    if (vector->rank != 1) {
        err_at(e, &at, "the vocab's \"%s\" is %s, it must be one vector", word,
               tensor_shape_text(vector, shape));
        return NULL;
    }
    if (tensor_same_shape(vector, first))
        return vector;
    err_at(e, &at, "the vocab's \"%s\" is %s, and its \"%s\" %s", word,
           tensor_shape_text(vector, shape), vocab->bundle->entry[0].name,
           tensor_shape_text(first, first_shape));
    return NULL;
}

/* x[i] = vocab[tokens[i]] */
static bool look_up_tokens(problem *p, const entry *vocab, err *e)
{
    if (vocab->bundle->count == 0)
        return err_at(e, &vocab->at, "the vocab is empty");
    const tensor *first = &vocab->bundle->entry[0].tensor;
    size_t size[2] = {p->tokens->count, first->rank == 1 ? first->size[0] : 0};
    if (!tensor_new(&p->looked_up, first->type, 2, size, e))
        return false;
    for (size_t i = 0; i < size[0]; i++) {
        const tensor *vector = word_vector(p, vocab, p->tokens->item[i], e);
        if (vector == NULL)
            return false;
        tensor row = tensor_at(&p->looked_up, i);
        memcpy(row.data, vector->data, size[1] * dtype_size(row.type));
    }
    p->in[INPUT_X] = &p->looked_up;
    p->at[INPUT_X] = problem_place(p, "tokens");
    return true;
}

/* More decimals than the type resolves in a weight would round nothing. */
static bool check_round(const problem *p, err *e)
{
    int most = p->type == DTYPE_F64 ? 15 : 7;
    place at = problem_place(p, "round");
    if (p->round_decimals <= most)
        return true;
    err_at(e, &at, "round is %d decimals, %s resolves %d", p->round_decimals, dtype_name(p->type),
           most);
    return p->type == DTYPE_F32 ? err_remedy(e, "--dtype f64 resolves 15") : false;
}

bool problem_read(problem *p, const bundle *document, err *e)
{
    *p = (problem){
        .document = document, .score = score_default(), .round_decimals = -1, .qk_eps = 1e-6};
    read_inputs(p);
    if (!settings_read(p, e) || !check_round(p, e))
        return false;
    /* What came with a layout of its own keeps it. */
    for (input which = INPUT_X; which < INPUT_COUNT; which++) {
        if (p->in[which] == NULL)
            continue;
        const entry *found = bundle_find(p->document, input_key(which));
        p->is_out_in[which] =
            found == NULL ? p->layout_is_out_in : entry_is_out_in(found, p->layout_is_out_in);
    }
    const entry *vocab = bundle_find(document, "vocab");
    bool looks_up = vocab != NULL && p->tokens != NULL && p->in[INPUT_X] == NULL;
    return !looks_up || look_up_tokens(p, vocab, e);
}

bool problem_has_inputs(const problem *p)
{
    return p->in[INPUT_X] != NULL || p->in[INPUT_XK] != NULL || p->in[INPUT_XV] != NULL ||
           p->in[INPUT_Q] != NULL || p->in[INPUT_K] != NULL || p->in[INPUT_V] != NULL;
}

void problem_free(problem *p)
{
    tensor_free(&p->looked_up);
}
