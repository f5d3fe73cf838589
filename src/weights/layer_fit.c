#include "weights/layer_fit.h"

#include <stdio.h>

typedef struct fitting {
    layer_search *in;
    size_t layer;
    fit_need need;
} fitting;

static size_t count_weights(const fitting *f, const char *way, const convention *by)
{
    size_t found = 0;
    for (input which = INPUT_WQ; which <= INPUT_WO && !convention_is_own(by); which++)
        found += layer_search_weight(f->in, f->layer, way, by, which) != NULL;
    return found;
}

/* What GPT-2's attention has without c_attn, its cross-attention has as well; each layer has the
 * former. */
static bool may_be(const fitting *f, const convention *by)
{
    return f->need == FIT_WEIGHTS || by->cut != CUT_HALVES;
}

/* The convention of most of its weights; the first of several. */
static const convention *find_attention(const fitting *f, const char *way, size_t *weights)
{
    const convention *best = NULL;
    *weights = f->need == FIT_WEIGHTS ? 1 : 0;
    if (way == NULL || !layer_search_has(f->in, f->layer, way))
        return NULL;
    for (size_t i = 0; i < CONVENTIONS.count; i++) {
        const convention *by = convention_at(i);
        size_t found = may_be(f, by) ? count_weights(f, way, by) : 0;
        if (found > *weights) {
            *weights = found;
            best = by;
        }
    }
    return best;
}

static bool has_any(const fitting *f, const char *names, const char *word)
{
    char name[LAYER_NAME], tail[CONVENTION_NAME + LAYER_NAME];
    for (size_t n = 0; layer_convention_name(names, n, name); n++) {
        snprintf(tail, sizeof tail, "%s.%s", name, word);
        if (layer_search_name(f->in, f->layer, "", tail) != NULL)
            return true;
    }
    return false;
}

static size_t count_rest(const fitting *f, const layer_convention *row, const convention *attention)
{
    size_t found = 0;
    for (size_t i = 0; i < NORMS_MOST; i++)
        found += has_any(f, row->norm[i], "weight") || has_any(f, row->norm[i], "gamma") ||
                 has_any(f, row->norm[i], "scale");
    for (size_t i = 0; i < LAYER_WEIGHTS; i++)
        found += has_any(f, row->weight[i], attention->weight);
    return found;
}

/* The document's own keys: as many as there are. Without a number they are those of a document of
 * one attention. */
static size_t count_own(const fitting *f)
{
    static const char *const KEYS_OF_LAYERS[] = {"wq", "wk", "wv", "wo", "w1", "w2"};
    size_t found = 0;
    for (size_t i = 0; i < sizeof KEYS_OF_LAYERS / sizeof KEYS_OF_LAYERS[0]; i++)
        found += layer_search_name(f->in, f->layer, "", KEYS_OF_LAYERS[i]) != NULL;
    return f->in->is_one ? 0 : found;
}

bool layer_fit_choose(layer_search *s, size_t layer, fit_need need)
{
    fitting f = {s, layer, need};
    size_t best = count_own(&f), weights, least = need == FIT_WEIGHTS ? 1 : 2;
    s->by = best > 0 ? layer_convention_at(0) : NULL;
    s->attention = s->cross = NULL;
    for (size_t i = 1; i < LAYER_CONVENTIONS.count; i++) {
        const layer_convention *row = layer_convention_at(i);
        const convention *attention = find_attention(&f, row->attention, &weights);
        size_t rest = attention == NULL ? 0 : count_rest(&f, row, attention);
        if (rest >= least && rest + weights > best) {
            best = rest + weights;
            s->by = row;
            s->attention = attention;
        }
    }
    f.need = FIT_WEIGHTS;
    if (s->by != NULL && !layer_convention_is_own(s->by))
        s->cross = find_attention(&f, s->by->cross, &weights);
    return s->by != NULL;
}
