/* Keys and values that the document does not make of its rows: those of a cache, before the new
 * ones, in a document or kept from line to line; and rows that are appended to them. */
#include "attn/plan/kv_cache.h"
#include "attn/plan/plan_parts.h"

#include <string.h>

/* ---- a line of a stream, or a step of a generation: what can't be where rows keep coming, and how
 * they join those before them ---- */

/* What a document may say, and rows that keep coming can't have, with the reason. */
static const char NO_LAST_KEY[] = "its row would stand after the last key, and no key is the last";

static const struct {
    const char *key, *why;
} NOT_STREAMED[] = {
    {"offset", "they are counted, from 0"},
    {"mask", "the number of its columns is not known"},
    {"bias", "the number of its columns is not known"},
    {"key_lengths", "there is no last key that it could count to"},
    {"key_tokens", "keys come with them, and have their tokens"},
    {"bias_k", NO_LAST_KEY},
    {"bias_v", NO_LAST_KEY},
    {"past_k", "a cache is kept of them"},
    {"past_v", "a cache is kept of them"},
};

/* A row that saw later ones would have to wait for them. */
static bool check_settings(const problem *asked, err *e)
{
    for (size_t i = 0; i < sizeof NOT_STREAMED / sizeof NOT_STREAMED[0]; i++) {
        place at = problem_place(asked, NOT_STREAMED[i].key);
        if (bundle_find(asked->document, NOT_STREAMED[i].key) != NULL)
            return err_at(e, &at, "%s is given, and where rows keep coming, %s",
                          NOT_STREAMED[i].key, NOT_STREAMED[i].why);
    }
    place of_zero = problem_place(asked, "add_zero"), at = problem_place(asked, "causal");
    if (asked->adds_zero)
        return err_at(e, &of_zero, "add_zero is asked for, and where rows keep coming, %s",
                      NO_LAST_KEY);
    if (asked->causal == CAUSAL_LOWER_RIGHT)
        return err_at(e, &at,
                      "causal is lower-right, and where rows keep coming, there is no last key to "
                      "count from");
    if (asked->causal != CAUSAL_NONE || (asked->has_window && asked->window_right == 0))
        return true;
    err_at(e, &at, "queries see keys of rows that are still to come");
    return err_remedy(e, "--causal lets a query see only keys at or before it");
}

static bool find_stream(plan *p, err *e)
{
    const problem *asked = p->asked;
    const kv_cache *c = asked->cache;
    place at = asked->at[p->k.given.data != NULL ? p->k.given_as : p->k.rows_as];
    if (!check_settings(asked, e))
        return false;
    if (p->n_q != p->k.n)
        return err_at(
            e, &at, "where rows keep coming, each is a query and a key, and there are %zu and %zu",
            p->n_q, p->k.n);
    /* Everything but the number of rows is what it was in the first line. */
    const struct {
        const char *what;
        size_t here, before;
    } sizes[] = {
        {"batches", p->batches, c->batches},
        {"key/value heads", p->kv_heads, c->heads},
        {"numbers of a key", p->k.width, c->k_width},
        {"numbers of a value", p->v.width, c->v_width},
    };
    for (size_t i = 0; c->rows > 0 && i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i].here != sizes[i].before)
            return err_at(e, &at, "the %s are %zu here, and %zu in the lines before", sizes[i].what,
                          sizes[i].here, sizes[i].before);
    }
    /* Rows that say where they stand, and rows that are counted, would be two sequences in one. */
    const entry *here = asked->rope.positions;
    if (here != NULL && strcmp(here->name, "positions") == 0) {
        err_at(e, &here->at, "rope is of all lines, and its positions would be those of one");
        return err_remedy(e, "rope_positions in each line says where its rows stand");
    }
    if (c->rows > 0 && c->has_places != (here != NULL))
        return err_at(e, here != NULL ? &here->at : &at,
                      "rope's positions are %s here, and were %s in the lines before",
                      here != NULL ? "given" : "counted", c->has_places ? "given" : "counted");
    p->past = p->offset = c->rows;
    p->n_k += p->past;
    return true;
}

/* ---- the cache ---- */

static bool find_past(const plan *p, input which, const projection *of, tensor *out, err *e)
{
    if (!plan_view_apart(p, which, p->kv_heads, out, e))
        return false;
    if (out->size[3] == of->width)
        return true;
    return plan_wrong_shape(p, which, e, "%zu wide per head, and the new %s are %zu wide",
                            out->size[3], of == &p->k ? "keys" : "values", of->width);
}

bool plan_find_cache(plan *p, err *e)
{
    const problem *asked = p->asked;
    bool has_k = asked->in[INPUT_PAST_K] != NULL, has_v = asked->in[INPUT_PAST_V] != NULL;
    input there = has_k ? INPUT_PAST_K : INPUT_PAST_V;
    if (asked->cache != NULL)
        return find_stream(p, e);
    if (has_k != has_v)
        return err_at(e, &asked->at[there], "%s is given, and no %s: a cache is both",
                      input_label(there), has_k ? "past_v" : "past_k");
    if (has_k) {
        if (!find_past(p, INPUT_PAST_K, &p->k, &p->past_k, e) ||
            !find_past(p, INPUT_PAST_V, &p->v, &p->past_v, e))
            return false;
        p->past = p->past_k.size[2];
        if (p->past_v.size[2] != p->past)
            return plan_wrong_shape(p, INPUT_PAST_V, e, "it has %zu rows, and past_k %zu",
                                    p->past_v.size[2], p->past);
        p->n_k += p->past;
    }
    p->offset = asked->has_offset ? asked->offset : p->past;
    return plan_check_places(p, e);
}

/* ---- rows after the keys and values of the sequence, as PyTorch's nn.MultiheadAttention has them
 * (add_bias_kv, add_zero_attn; torch/nn/functional.py, multi_head_attention_forward): first the
 * learned row, then zeros ---- */

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
    const problem *asked = p->asked;
    bool has_k = asked->in[INPUT_BIAS_K] != NULL, has_v = asked->in[INPUT_BIAS_V] != NULL;
    input there = has_k ? INPUT_BIAS_K : INPUT_BIAS_V;
    if (has_k != has_v)
        return err_at(e, &asked->at[there], "%s is given without %s: a key needs a value",
                      input_key(there), input_key(has_k ? INPUT_BIAS_V : INPUT_BIAS_K));
    if (has_k && (!find_row(p, INPUT_BIAS_K, &p->k, &p->bias_k, e) ||
                  !find_row(p, INPUT_BIAS_V, &p->v, &p->bias_v, e)))
        return false;
    p->appended = (p->bias_k.data != NULL ? 1u : 0u) + (asked->adds_zero ? 1u : 0u);
    p->n_k += p->appended;
    return p->appended == 0 || check_alone(p, e);
}
