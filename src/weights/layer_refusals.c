#include "weights/layer_refusals.h"

#include "weights/cut.h"
#include "weights/bundle_refusal.h"

#include <stdio.h>
#include <string.h>

/* What is looked at: the attention of a layer, or its cross-attention. */
typedef struct looking {
    layer_search *in;
    const layer_sources *all;
    const wishes *wishes;
    const bundle *contents;
    size_t layer;
} looking;

static layer_path path_of(const looking *l, const char *object, const char *key_name)
{
    char way[LAYER_NAME];
    layer_path to;
    snprintf(way, sizeof way, "%s%s", object, key_name);
    layer_path_read_within(&to, l->layer, way, strlen(way));
    return to;
}

/* What stands at the top is for self-attention. */
static bool is_decided(const looking *l, const char *object, const char *key_name)
{
    layer_path to = path_of(l, object, key_name);
    return layer_sources_map(l->all, &to) ||
           bundle_decides(l->wishes, layer_path_find(&to, l->contents),
                          *object == '\0' ? l->contents : NULL, key_name);
}

/* Gains to which 1 is to be added. */
static bool check_gains(const looking *l, const convention *by, const char *way, const char *object,
                        err *e)
{
    layer_path to = path_of(l, object, "qk_norm");
    const char *beside =
        by->one_more == NULL ? NULL : layer_search_name(l->in, l->layer, "", by->one_more);
    if (beside == NULL ||
        !bundle_gains_are_wanted(l->wishes, layer_path_find(&to, l->contents), l->contents))
        return true;
    for (size_t i = 0; i < CONVENTION_BESIDE; i++) {
        char key_way[LAYER_NAME];
        input which = CONVENTION_INPUTS[i];
        const char *name =
            !bundle_is_gain(which) ? NULL : layer_search_weight(l->in, l->layer, way, by, which);
        snprintf(key_way, sizeof key_way, "layers.%zu.%s%s", l->layer, object, input_key(which));
        if (name != NULL && !is_decided(l, object, input_key(which)))
            return bundle_gain_refuse(l->in->file, name, beside, key_way, e);
    }
    return true;
}

/* What is decided is no leftover, nor what such a layer does not use. */
static bool check_one(const looking *l, const refusal *row, const char *way, const char *object,
                      err *e)
{
    char layer[LAYER_NAME];
    const char *name = layer_search_name(l->in, l->layer, way, row->name);
    if (name == NULL && row->is_shared)
        name = layer_search_name(l->in, 0, way, row->name);
    indexed_name *found = name == NULL ? NULL : name_index_find(&l->in->names, name);
    if (found == NULL)
        return true;
    snprintf(layer, sizeof layer, "layers.%zu.%s", l->layer, object);
    if (!convention_excepts(row, way) && !is_decided(l, object, row->key))
        return bundle_refuse(l->in->file, name, row, layer, e);
    found->is_taken = true;
    return true;
}

static bool check_attention(const looking *l, const convention *by, const char *way,
                            const char *object, err *e)
{
    for (const refusal *row = by->refused; row != NULL && row->name != NULL; row++) {
        if (!check_one(l, row, way, object, e))
            return false;
    }
    return check_gains(l, by, way, object, e);
}

bool layer_refusals_check(layer_search *s, const layer_sources *all, const wishes *w,
                          const bundle *contents, err *e)
{
    looking l = {s, all, w, contents, 0};
    bool done = true;
    for (; l.layer < s->count && done && s->attention != NULL; l.layer++)
        done = check_attention(&l, s->attention, s->by->attention, "", e) &&
               (s->cross == NULL || check_attention(&l, s->cross, s->by->cross, "cross.", e));
    return done && text_ok(&s->name, e);
}
